"""`listChanged` is declared and never sent, or `subscribe` is declared and not answered."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts, Framework
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW003",
    "unsent-notification-declared",
    Pattern.MINIMAL_DECLARATION,
    Level.LOW,
    "`listChanged` or `subscribe` is declared and not implemented.",
)


# These frameworks send `list_changed` by themselves when something is registered in a session.
_SENDERS: Final = frozenset({Framework.TYPESCRIPT_HIGH, Framework.TYPESCRIPT_FASTMCP, Framework.FASTMCP})


def check(facts: Facts) -> Iterator[Finding]:
    """Hold the members of every declared capability against what is sent and answered."""
    sends_itself = any(server.framework in _SENDERS for server in facts.servers)
    for declared in facts.declared:
        if declared.with_handlers and not facts.answers(f"{declared.capability}/list"):
            continue
        method = f"notifications/{declared.capability}/list_changed"
        if declared.members.get("listChanged") is True and not sends_itself and not facts.sends(method):
            yield INFO.finding(
                f"declares {declared.capability}.listChanged, and nothing sends {method}",
                declared.place,
                confidence=Level.MEDIUM,
            )
        if declared.members.get("subscribe") is True and not _subscribes(facts):
            yield INFO.finding(
                f"declares {declared.capability}.subscribe, and nothing answers resources/subscribe",
                declared.place,
                confidence=declared.confidence,
            )


def _subscribes(facts: Facts) -> bool:
    return facts.is_dynamic or facts.answers("resources/subscribe")
