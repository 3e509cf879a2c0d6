"""A server declares sampling, roots or elicitation, which are a client's to offer."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW002",
    "client-capability-declared",
    Pattern.MINIMAL_DECLARATION,
    Level.LOW,
    "A server declares what only a client can offer.",
)


_CLIENT: Final = frozenset({"sampling", "roots", "elicitation"})


def check(facts: Facts) -> Iterator[Finding]:
    """Find declarations on the wrong side."""
    for declared in facts.declared:
        if declared.capability in _CLIENT:
            yield INFO.finding(
                f"declares {declared.capability}, which only a client can offer",
                declared.place,
                confidence=declared.confidence,
            )
