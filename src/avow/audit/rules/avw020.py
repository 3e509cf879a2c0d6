"""Sampling, roots or elicitation is asked of a client that may not have declared it."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW020",
    "unchecked-client-capability",
    Pattern.CLIENT_CAPABILITIES,
    Level.MEDIUM,
    "Sampling, roots or elicitation is used without a look at what the client declared.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find uses that nothing checks."""
    for use in facts.uses:
        if not use.checked:
            yield INFO.finding(
                f"uses the client's {use.capability} without checking that the client declared it",
                use.place,
                confidence=use.confidence,
            )
