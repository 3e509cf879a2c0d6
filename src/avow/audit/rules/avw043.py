"""State of a session is kept after the session has ended, so that a flood of sessions fills the memory."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW043",
    "session-state-kept",
    Pattern.INITIALIZATION,
    Level.LOW,
    "State of a session is never taken out again.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find mappings that only grow."""
    for state in facts.session_states:
        if not state.released:
            yield INFO.finding(
                "keeps the state of sessions for ever; release it when a session ends", state.place
            )
