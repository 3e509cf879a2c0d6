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


def check(facts: Facts) -> Iterator[Finding]:
    """Name the servers without a guard; one with a handshake of its own is judged by its handlers."""
    if facts.answers("initialize"):
        return
    for server in facts.servers:
        if not server.is_guarded and server.framework is not Framework.OWN:
            yield INFO.finding(
                "serves lists before the session is active, as its SDK does; add a guard",
                server.place,
                confidence=Level.MEDIUM,
            )
