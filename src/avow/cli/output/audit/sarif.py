"""An audit in SARIF 2.1.0: exact regions and stable fingerprints, so that a finding stands on its line."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

import avow
from avow.audit.catalogue import RULES
from avow.audit.model import Finding, Level, RuleInfo
from avow.audit.report import Report
from avow.cli.output.json import dumps
from avow.cli.output.sarif import SCHEMA, plain
from avow.core.canonical import JsonObject
from avow.core.printable import printable

_LEVELS: Final = {Level.HIGH: "error", Level.MEDIUM: "warning", Level.LOW: "note"}
_SCORES: Final = {Level.HIGH: "8.0", Level.MEDIUM: "5.0", Level.LOW: "2.0"}
_ORDER: Final = {id_: place for place, id_ in enumerate(RULES)}


def audit(report: Report) -> str:
    """The whole report."""
    run = {
        "tool": {
            "driver": {
                "name": "Avow",
                "version": avow.__version__,
                "semanticVersion": avow.__version__,
                "rules": [_rule(info) for info in RULES.values()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": plain(printable(note, 500, fold=True))}}
                    for note in report.notes
                ],
            }
        ],
        "results": list(_results(report)),
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(info: RuleInfo) -> JsonObject:
    return {
        "id": info.id,
        "name": info.name,
        "shortDescription": {"text": info.summary},
        "defaultConfiguration": {"level": _LEVELS[info.severity]},
        "properties": {"tags": ["security", str(info.pattern)], "security-severity": _SCORES[info.severity]},
    }


def _results(report: Report) -> Iterator[JsonObject]:
    """Every finding in its place, accepted or not: what is accepted later keeps its fingerprint."""
    accepted = {id(ignored.finding): ignored for ignored in report.ignored}
    findings = [*report.findings, *(ignored.finding for ignored in report.ignored)]
    for finding, number in _numbered(sorted(findings, key=lambda one: (one.place is None, one.place or ()))):
        result = _result(report.subject, finding, number)
        if ignored := accepted.get(id(finding)):
            result["suppressions"] = [
                {
                    "kind": "inSource" if ignored.in_source else "external",
                    "status": "accepted",
                    "justification": plain(printable(ignored.reason, 500, fold=True)),
                }
            ]
        yield result


def _numbered(findings: Iterable[Finding]) -> Iterator[tuple[Finding, int]]:
    """Each finding with how many of the same kind came before it, so that no two have one fingerprint."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for finding in findings:
        key = (finding.rule, finding.place.path if finding.place else "", finding.message)
        yield finding, seen[key]
        seen[key] += 1


def _result(subject: str, finding: Finding, number: int) -> JsonObject:
    result: JsonObject = {
        "ruleId": finding.rule,
        "ruleIndex": _ORDER[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": plain(printable(finding.message, 1000, fold=True))},
        "partialFingerprints": {"avow/v1": _fingerprint(finding, number)},
        "properties": {"severity": str(finding.severity), "confidence": str(finding.confidence)},
    }
    if finding.place is None:
        result["locations"] = [{"logicalLocations": [{"fullyQualifiedName": printable(subject, 200)}]}]
        result["properties"]["evidence"] = list(finding.evidence)
    else:
        result["locations"] = [{"physicalLocation": _location(subject, finding)}]
    return result


def _location(subject: str, finding: Finding) -> JsonObject:
    place = finding.place
    assert place is not None
    root = Path(subject)
    path = (root.parent if root.is_file() else root) / place.path
    # From the directory that the audit runs in, which is what GitHub takes a path to begin at.
    inside = path.is_absolute() and path.is_relative_to(Path.cwd())
    return {
        "artifactLocation": {"uri": quote((path.relative_to(Path.cwd()) if inside else path).as_posix())},
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        },
    }


def _fingerprint(finding: Finding, number: int) -> str:
    """Stable while the same thing is said about the same file, wherever in it."""
    facts = [finding.rule, finding.place.path if finding.place else "", finding.message, number]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
