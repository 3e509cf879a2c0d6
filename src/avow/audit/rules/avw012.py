"""A credential is read from the parameters of `initialize`, where logs and proxies see it."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts, Sink
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW012",
    "credential-in-initialize",
    Pattern.FEATURE_GRANTS,
    Level.HIGH,
    "A credential is read from the parameters of `initialize`.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find credentials that travel in the handshake."""
    for flow in facts.flows:
        if flow.sink is Sink.SECRET:
            what = flow.what or flow.claim
            yield INFO.finding(
                f"reads a credential from initialize ({what}); use the authorization of the transport",
                flow.place,
                confidence=flow.confidence,
            )
