"""A capability is declared, and nothing in the tree answers its methods."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW001",
    "declared-without-handler",
    Pattern.MINIMAL_DECLARATION,
    Level.MEDIUM,
    "A capability is declared that nothing answers.",
)


_METHODS: Final = {
    "tools": ("tools/list", "tools/call"),
    "prompts": ("prompts/list", "prompts/get"),
    "resources": ("resources/list", "resources/templates/list", "resources/read"),
    "completions": ("completion/complete",),
}


def check(facts: Facts) -> Iterator[Finding]:
    """Hold every declared capability against the handlers; what we cannot see may be there."""
    if facts.is_dynamic:
        return
    for declared in facts.declared:
        methods = _METHODS.get(declared.capability, ())
        if methods and not declared.with_handlers and not any(map(facts.answers, methods)):
            yield INFO.finding(
                f"declares {declared.capability}, and nothing here answers {methods[0]}",
                declared.place,
                confidence=declared.confidence,
            )
