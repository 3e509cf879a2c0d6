"""State of a session is kept under a key that the client chooses, so one client can take another's."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts, Sink
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW013",
    "session-key-by-claim",
    Pattern.FEATURE_GRANTS,
    Level.HIGH,
    "State of a session is kept under a key that the client chooses.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Follow claims into the keys of session state."""
    for flow in facts.flows:
        if flow.sink is Sink.SESSION_KEY:
            what = flow.what or flow.claim
            yield INFO.finding(
                f"keeps session state under {what}, which the client chooses; use the transport's session id",
                flow.place,
                confidence=flow.confidence,
            )
