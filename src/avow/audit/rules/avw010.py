"""A feature is switched on by the capabilities that a client claims, which it can make up."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Claim, Facts, Sink
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW010",
    "feature-by-claim",
    Pattern.FEATURE_GRANTS,
    Level.HIGH,
    "What a client says it can do decides what it may do.",
)


_SINKS: Final = frozenset({Sink.DECLARATION, Sink.FEATURE, Sink.AUTHORIZATION})


def check(facts: Facts) -> Iterator[Finding]:
    """Follow claimed capabilities into declarations, features and permissions."""
    for flow in facts.flows:
        if flow.claim is Claim.CAPABILITIES and flow.sink in _SINKS:
            read = f"capabilities.{flow.what}" if flow.what else "its capabilities"
            yield INFO.finding(
                f"the client's claim {read} decides {flow.sink.words}; take it from who the client is",
                flow.place,
                confidence=flow.confidence,
            )
