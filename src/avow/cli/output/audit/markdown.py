"""An audit in Markdown, for a pull request or a step summary."""

from collections.abc import Iterator

from avow.audit.model import Finding
from avow.audit.report import Report
from avow.cli.output.markdown import inert, table


def audit(report: Report) -> str:
    """The whole report."""
    return "\n\n".join(_blocks(report)) + "\n"


def _blocks(report: Report) -> Iterator[str]:
    yield f"## Audit of {inert(report.subject)}"
    yield table(
        ("pattern", "verdict"), ((str(key), str(verdict)) for key, verdict in report.scorecard.items())
    )
    if report.findings:
        yield "### Findings"
        yield table(("severity", "rule", "what", "where"), map(_row, report.findings))
    for ignored in report.ignored:
        yield f"Accepted: {ignored.finding.rule} {inert(_where(ignored.finding))}, {inert(ignored.reason)}"
    for note in report.notes:
        yield f"Note: {inert(note)}"


def _row(finding: Finding) -> tuple[str, ...]:
    severity = f"**{finding.severity}**" if finding.severity == "high" else str(finding.severity)
    return severity, finding.rule, inert(finding.message), inert(_where(finding))


def _where(finding: Finding) -> str:
    return f"{finding.place.path}:{finding.place.line}" if finding.place else ""
