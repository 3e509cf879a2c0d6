"""An experimental feature is declared, and the rest of the tree does not mention it."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW004",
    "unused-experimental-feature",
    Pattern.MINIMAL_DECLARATION,
    Level.LOW,
    "An experimental feature is declared that nothing else mentions.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Name the features that are only declared."""
    for declared in facts.declared:
        if declared.capability != "experimental":
            continue
        for feature, value in declared.members.items():
            if value is not False and feature not in declared.used:
                yield INFO.finding(
                    f"declares the experimental feature {feature}, and nothing else mentions it",
                    declared.place,
                    confidence=Level.MEDIUM,
                )
