"""A server that handles `initialize` itself serves requests before the session is active."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW040",
    "served-before-active",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "A server with its own handshake serves requests before the session is active.",
)


_SERVED: Final = ("tools/", "prompts/", "resources/", "completion/")


def check(facts: Facts) -> Iterator[Finding]:
    """Find handlers that do not ask for the phase, beside a handshake of the server's own."""
    if _is_guarded(facts):
        return
    for handler in facts.handlers:
        is_served = handler.own_handshake and handler.method.startswith(_SERVED)
        if is_served and not handler.checks_phase and not handler.by_framework:
            yield INFO.finding(
                f"answers {handler.method} without checking that the session is active", handler.place
            )


def _is_guarded(facts: Facts) -> bool:
    return bool(facts.servers) and all(server.is_guarded for server in facts.servers)
