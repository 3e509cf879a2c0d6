"""Machine output of an audit: one JSON document, with the members that DESIGN names."""

from avow.audit.model import Finding
from avow.audit.report import Report
from avow.cli.output.json import dumps
from avow.core.canonical import JsonObject


def audit(report: Report) -> str:
    """The whole report."""
    document: JsonObject = {
        "findings": [finding_document(finding) for finding in report.findings],
        "scorecard": {str(pattern): str(verdict) for pattern, verdict in report.scorecard.items()},
        "ignored": [
            {**finding_document(ignored.finding), "reason": ignored.reason} for ignored in report.ignored
        ],
        "notes": list(report.notes),
    }
    return dumps(document)


def finding_document(finding: Finding) -> JsonObject:
    """One finding; one of a probe has no path."""
    document: JsonObject = {
        "rule": finding.rule,
        "pattern": str(finding.pattern),
        "severity": str(finding.severity),
        "confidence": str(finding.confidence),
        "message": finding.message,
    }
    if finding.place is not None:
        document |= {
            "path": finding.place.path,
            "line": finding.place.line,
            "column": finding.place.column,
            "endLine": finding.place.end_line,
            "endColumn": finding.place.end_column,
        }
    return {**document, "evidence": list(finding.evidence)}
