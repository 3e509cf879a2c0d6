"""A session becomes active by `notifications/initialized`, whatever phase it is in."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, Level, Pattern, RuleInfo

INFO: Final = RuleInfo(
    "AVW042",
    "initialized-in-any-phase",
    Pattern.INITIALIZATION,
    Level.MEDIUM,
    "`initialized` makes a session active in whatever phase it is.",
)


def check(facts: Facts) -> Iterator[Finding]:
    """Find handlers of the notification that do not ask for the phase."""
    for handler in facts.initialized:
        if not handler.checks_phase:
            yield INFO.finding(
                "makes the session active without checking that initialize was answered before", handler.place
            )
