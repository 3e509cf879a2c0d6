"""A decision rests on `clientInfo`, the name that a client gives itself."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Claim, Facts, Sink
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW011",
    "trusted-client-info",
    Pattern.FEATURE_GRANTS,
    Level.MEDIUM,
    "The name that a client gives itself decides what it may do.",
)


_SINKS: Final = frozenset({Sink.DECLARATION, Sink.FEATURE, Sink.AUTHORIZATION})


def check(facts: Facts) -> Iterator[Finding]:
    """Follow `clientInfo` into declarations, features and permissions."""
    for flow in facts.flows:
        if flow.claim is Claim.CLIENT_INFO and flow.sink in _SINKS:
            yield INFO.finding(
                f"clientInfo decides {flow.sink.words}; every client can call itself that",
                flow.place,
                severity=Level.MEDIUM if flow.sink is Sink.FEATURE else Level.HIGH,
                confidence=flow.confidence,
            )
