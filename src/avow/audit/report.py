"""The result of an audit, of source code or of a running server, as every output format gets it."""

from dataclasses import dataclass

from avow.audit.model import Finding, Level
from avow.audit.scorecard import Scorecard
from avow.audit.source.ignoring import Ignored


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, what somebody accepts, the five patterns at a glance, what could not be looked at."""

    subject: str
    findings: tuple[Finding, ...]
    scorecard: Scorecard
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[str, ...] = ()
    files: int = 0

    def at_least(self, level: Level) -> tuple[Finding, ...]:
        """The findings at or above a level."""
        return tuple(finding for finding in self.findings if finding.severity.rank >= level.rank)
