"""The result of an audit, of source code or of a running server, as every output format gets it."""

from collections.abc import Sequence
from dataclasses import dataclass

from avow.audit.model import Finding, Level, Verdict
from avow.audit.scorecard import Scorecard, combined
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
    blind: tuple[str, ...] = ()

    @property
    def is_blind(self) -> bool:
        """Whether nothing at all could be told, by one of the looks at least: that is no good news.

        `blind` names those looks where there were several.
        """
        if self.blind:
            return True
        told = any(verdict is not Verdict.UNKNOWN for verdict in self.scorecard.values())
        return not told and not self.findings and not self.ignored

    def at_least(self, level: Level) -> tuple[Finding, ...]:
        """The findings at or above a level."""
        return tuple(finding for finding in self.findings if finding.severity.rank >= level.rank)


def together(reports: Sequence[Report]) -> Report:
    """Several looks, at the source and at the running server, as one report."""
    if len(reports) == 1:
        return reports[0]
    blind = tuple(report.subject for report in reports if report.is_blind)
    return Report(
        ", ".join(report.subject for report in reports),
        tuple(finding for report in reports for finding in report.findings),
        combined([report.scorecard for report in reports]),
        tuple(ignored for report in reports for ignored in report.ignored),
        (
            *(note for report in reports for note in report.notes),
            *(f"nothing could be told of {subject}" for subject in blind),
        ),
        sum(report.files for report in reports),
        blind,
    )
