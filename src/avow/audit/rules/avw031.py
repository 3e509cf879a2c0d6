"""A claimed version is compared as text before it is known to be one of the supported ones."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW031",
    "version-ordered-unchecked",
    Pattern.DOWNGRADE,
    Level.MEDIUM,
    "A version is compared as text before it is known to be one.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find comparisons that no list of versions stands before."""
    for negotiation in facts.negotiations:
        if negotiation.orders is not None and not negotiation.allows:
            yield INFO.finding(
                "compares the client's protocol version as text; check first that it is a supported one",
                negotiation.orders,
            )
