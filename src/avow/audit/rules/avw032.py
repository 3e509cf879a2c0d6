"""An older version than the preferred one is agreed to, and nothing is logged."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW032",
    "downgrade-not-logged",
    Pattern.DOWNGRADE,
    Level.LOW,
    "An older version is agreed to and nothing tells.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find negotiations that leave no trace."""
    for negotiation in facts.negotiations:
        can_be_older = negotiation.allows and len(negotiation.answers) != 1
        if negotiation.looks and can_be_older and not negotiation.logs:
            yield INFO.finding(
                "agrees to older protocol versions without logging the downgrade", negotiation.place
            )
