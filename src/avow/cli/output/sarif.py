"""SARIF 2.1.0, for code scanning: one result per drift, at the place in the lockfile that it departs from.

A server that may not be used for another reason is a result as well, at its entry.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Final
from urllib.parse import quote

import avow
from avow.cli.output.json import dumps
from avow.cli.output.places import Places, places_in
from avow.cli.output.report import DriftReport
from avow.core.canonical import JsonObject
from avow.core.drift.model import Drift, DriftType
from avow.core.printable import printable
from avow.core.severity import Severity
from avow.system.checking import Compared, Failed

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS: Final = {
    Severity.CRITICAL: "error",
    Severity.MODERATE: "warning",
    Severity.SAFE: "note",
    Severity.INFO: "note",
}
_NOT_APPROVED: Final = "not_approved"
_RULES: Final = (*map(str, DriftType), _NOT_APPROVED)
_SPECIAL: Final = re.compile(r"[\\\[\]]")


def drift(report: DriftReport) -> str:
    """A drift report."""
    places = places_in(report.file)
    run = {
        "tool": {
            "driver": {
                "name": "Avow",
                "version": avow.__version__,
                "semanticVersion": avow.__version__,
                "rules": [_rule(each) for each in _RULES],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [
            *(_refused(name, why, places) for name, why in report.refused.items()),
            *(result for compared in report.compared for result in _results(compared, places)),
        ],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(identifier: str) -> JsonObject:
    words = identifier.replace("_", " ")
    return {
        "id": identifier,
        "name": words.title().replace(" ", ""),
        "shortDescription": {"text": f"{words}."},
    }


def _invocation(report: DriftReport) -> JsonObject:
    notes = [
        {"level": "note", "message": {"text": plain(printable(each, 1000, fold=True))}}
        for each in report.remarks
    ]
    return {
        "executionSuccessful": not report.failed,
        "toolExecutionNotifications": [*(_notification(failed) for failed in report.failed), *notes],
    }


def _notification(failed: Failed) -> JsonObject:
    text = printable(f"{failed.name}: {failed.error.message}")
    return {"level": "error", "message": {"text": plain(f"{text}\n{failed.error.hint}".strip())}}


def _results(compared: Compared, places: Places) -> list[JsonObject]:
    found = [_result(compared.name, drift, places) for drift in compared.drift]
    for allowed in compared.allowed:
        suppression = {"kind": "external", "status": "accepted", "justification": allowed.rule.reason}
        found.append({**_result(compared.name, allowed.drift, places), "suppressions": [suppression]})
    return found


def _refused(server: str, why: str, places: Places) -> JsonObject:
    return {
        "ruleId": _NOT_APPROVED,
        "ruleIndex": _RULES.index(_NOT_APPROVED),
        "level": "error",
        "message": {"text": plain(printable(f"{server}: {why}.", 1000, fold=True))},
        "locations": [_location(server, "", "", places)],
        # Who decided what may change: it stays the same thing until it is approved.
        "partialFingerprints": {"avow/v1": _fingerprint(server, _NOT_APPROVED)},
        "properties": {"severity": str(Severity.CRITICAL), "server": server},
    }


def _result(server: str, drift: Drift, places: Places) -> JsonObject:
    fingerprint = _fingerprint(server, drift.type, drift.kind, drift.name, drift.summary)
    return {
        "ruleId": str(drift.type),
        "ruleIndex": _RULES.index(drift.type),
        "level": _LEVELS[drift.severity],
        "message": {"text": _message(server, drift)},
        "locations": [_location(server, drift.kind, drift.name, places)],
        "partialFingerprints": {"avow/v1": fingerprint},
        "properties": {"severity": str(drift.severity), "server": server},
    }


def _location(server: str, kind: str, name: str, places: Places) -> JsonObject:
    location: JsonObject = {
        "logicalLocations": [{"fullyQualifiedName": "/".join(filter(None, (server, kind, name)))}]
    }
    if places.path is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(places.path)},
            "region": {"startLine": places.line_of(server, kind, name)},
        }
    return location


def _message(server: str, drift: Drift) -> str:
    subject = " ".join(filter(None, (drift.kind, drift.name)))
    seen = f" (seen {drift.seen})" if drift.seen else ""
    hint = f" Hint: {drift.hint}" if drift.hint else ""
    return plain(printable(f"{server}: {subject} {drift.summary}{seen}.{hint}", 1000, fold=True))


def plain(text: str) -> str:
    """The text as SARIF (3.11.6) writes it so that nothing in it is a link."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _fingerprint(*facts: str) -> str:
    """Stable while the same thing differs in the same way, wherever it stands in the file."""
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _uri(path: Path) -> str:
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
