"""A handler of `initialize` does not look at the version that the client asks for."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW033",
    "version-ignored",
    Pattern.DOWNGRADE,
    Level.LOW,
    "`initialize` is answered without a look at the version that the client asks for.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find handlers that do not negotiate."""
    for negotiation in facts.negotiations:
        if not negotiation.looks:
            yield INFO.finding(
                "answers initialize without looking at the client's protocol version", negotiation.place
            )
