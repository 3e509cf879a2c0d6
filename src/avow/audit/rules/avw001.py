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
    if not facts.is_dynamic:
        yield from _unanswered(facts)


def unfollowed(facts: Facts) -> Iterator[str]:
    """What may be a finding: the handlers are registered under names that could not be followed."""
    if facts.is_dynamic:
        for finding in _unanswered(facts):
            yield f"{finding.message}, as far as handlers could be followed"


def _unanswered(facts: Facts) -> Iterator[Finding]:
    for declared in facts.declared:
        methods = _METHODS.get(declared.capability, ())
        if methods and not declared.with_handlers and not any(map(facts.answers, methods)):
            yield INFO.finding(
                f"declares {declared.capability}, and nothing here answers {methods[0]}",
                declared.place,
                confidence=declared.confidence,
            )
