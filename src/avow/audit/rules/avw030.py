"""The version in the answer is the one in the question, whatever that is."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Claim, Facts, Sink
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW030",
    "version-echoed",
    Pattern.DOWNGRADE,
    Level.HIGH,
    "The version that the client asks for is agreed to, whatever it is.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find handlers that agree to every version."""
    for flow in facts.flows:
        if flow.claim is Claim.VERSION and flow.sink is Sink.ANSWERED_VERSION:
            yield INFO.finding(
                "answers with the protocol version that the client asked for, known or not",
                flow.place,
                confidence=flow.confidence,
            )
