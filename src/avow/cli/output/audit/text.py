"""An audit for people: the score card, then each finding with its place and what proves it."""

import json
from collections.abc import Iterator
from typing import Final

from avow.audit.model import Finding, Level, Verdict
from avow.audit.report import Report
from avow.cli.output.console import BLANK, Line, columns, line, plural, to_string
from avow.core.printable import printable

_STYLES: Final = {Level.HIGH: "bold red", Level.MEDIUM: "yellow", Level.LOW: "dim"}
_VERDICTS: Final = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.NOT_APPLICABLE: "dim",
    Verdict.UNKNOWN: "yellow",
}
_MOST_EVIDENCE: Final = 6


def audit(report: Report) -> str:
    """The whole report."""
    return to_string(_lines(report))


def _lines(report: Report) -> Iterator[Line]:
    yield line((printable(report.subject, fold=True), "bold"))
    rows = [
        ((f"{verdict}", _VERDICTS[verdict]), str(pattern)) for pattern, verdict in report.scorecard.items()
    ]
    yield from columns(rows)
    for finding in _worst_first(report):
        yield BLANK
        yield from _finding(finding)
    if report.ignored:
        yield BLANK
        yield line((f"{plural(len(report.ignored), 'finding')} accepted", "dim"))
        for ignored in report.ignored:
            where = f" at {_where(ignored.finding)}" if ignored.finding.place else ""
            yield line(
                f"{ignored.finding.rule}{where}: {printable(ignored.reason, 200, fold=True)}", indent=2
            )
    if report.notes:
        yield BLANK
        for note in report.notes:
            yield line(("note: ", "dim"), printable(note, 300, fold=True))
    yield BLANK
    yield _summary(report)


def _finding(finding: Finding) -> Iterator[Line]:
    style = _STYLES[finding.severity]
    sure = "" if finding.confidence is Level.HIGH else f" ({finding.confidence} confidence)"
    yield line(
        (f"{finding.severity} ", style),
        (finding.rule, "bold"),
        f" {printable(finding.message, fold=True)}",
        (sure, "dim"),
    )
    if finding.place is not None:
        yield line((_where(finding), "cyan"), indent=2)
    for message in finding.evidence[:_MOST_EVIDENCE]:
        yield line((printable(json.dumps(message), 160), "dim"), indent=2)
    if len(finding.evidence) > _MOST_EVIDENCE:
        yield line((f"and {len(finding.evidence) - _MOST_EVIDENCE} more messages", "dim"), indent=2)


def _where(finding: Finding) -> str:
    place = finding.place
    return f"{printable(place.path, fold=True)}:{place.line}:{place.column}" if place else ""


def _summary(report: Report) -> Line:
    looked = f" in {plural(report.files, 'file')}" if report.files else ""
    if report.is_blind and not report.findings:
        what = f" of {printable(', '.join(report.blind), 200, fold=True)}" if report.blind else looked
        return line((f"could not tell anything{what}", "yellow"))
    if not report.findings and Verdict.UNKNOWN in report.scorecard.values():
        return line((f"nothing found{looked}, and not everything could be told", "yellow"))
    if not report.findings:
        return line((f"nothing found{looked}", "green"))
    counted = ", ".join(
        f"{count} {level}"
        for level in reversed(Level)
        if (count := sum(finding.severity is level for finding in report.findings))
    )
    worst = _worst_first(report)[0].rule
    return line(
        f"{plural(len(report.findings), 'finding')}{looked}: {counted}; `avow audit --explain {worst}`"
    )


def _worst_first(report: Report) -> list[Finding]:
    """By severity; within one, in the order of the source."""
    return sorted(report.findings, key=lambda finding: -finding.severity.rank)
