"""A server relies on an SDK that serves requests before the session is active."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts, Framework
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW041",
    "unguarded-server",
    Pattern.INITIALIZATION,
    Level.LOW,
    "The SDK serves requests before the session is active, and nothing stops it.",
)


_SERVED: Final = ("tools/", "prompts/", "resources/", "completion/")


def check(facts: Facts) -> Iterator[Finding]:
    """Name the servers without a guard; handlers that ask for the phase themselves are one, too."""
    if _guards_itself(facts):
        return
    for server in facts.servers:
        if not server.is_guarded and server.framework is not Framework.OWN:
            yield INFO.finding(
                "serves lists before the session is active, as its SDK does; add a guard",
                server.place,
                confidence=Level.MEDIUM,
            )


def _guards_itself(facts: Facts) -> bool:
    """A handshake of its own is judged by its handlers; else every handler has to ask for the phase."""
    written = [handler for handler in facts.handlers if handler.method.startswith(_SERVED)]
    if any(handler.own_handshake for handler in facts.handlers):
        return True
    return bool(written) and all(handler.checks_phase and not handler.by_framework for handler in written)
