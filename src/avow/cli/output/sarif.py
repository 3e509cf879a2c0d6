"""SARIF 2.1.0, for code scanning: one result per drift, at the place in the lockfile that it departs from."""

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
_RULES: Final = tuple(DriftType)
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
                "rules": [_rule(type_) for type_ in _RULES],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [result for compared in report.compared for result in _results(compared, places)],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(type_: DriftType) -> JsonObject:
    words = type_.replace("_", " ")
    return {
        "id": str(type_),
        "name": words.title().replace(" ", ""),
        "shortDescription": {"text": f"{words}."},
    }


def _invocation(report: DriftReport) -> JsonObject:
    return {
        "executionSuccessful": not report.failed,
        "toolExecutionNotifications": [_notification(failed) for failed in report.failed],
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


def _result(server: str, drift: Drift, places: Places) -> JsonObject:
    location: JsonObject = {
        "logicalLocations": [{"fullyQualifiedName": "/".join(filter(None, (server, drift.kind, drift.name)))}]
    }
    if places.path is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(places.path)},
            "region": {"startLine": places.line_of(server, drift.kind, drift.name)},
        }
    return {
        "ruleId": str(drift.type),
        "ruleIndex": _RULES.index(drift.type),
        "level": _LEVELS[drift.severity],
        "message": {"text": _message(server, drift)},
        "locations": [location],
        "partialFingerprints": {"avow/v1": _fingerprint(server, drift)},
        "properties": {"severity": str(drift.severity), "server": server},
    }


def _message(server: str, drift: Drift) -> str:
    subject = " ".join(filter(None, (drift.kind, drift.name)))
    seen = f" (seen {drift.seen})" if drift.seen else ""
    hint = f" Hint: {drift.hint}" if drift.hint else ""
    return plain(printable(f"{server}: {subject} {drift.summary}{seen}.{hint}", 1000, fold=True))


def plain(text: str) -> str:
    """The text as SARIF (3.11.6) writes it so that nothing in it is a link."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _fingerprint(server: str, drift: Drift) -> str:
    """Stable while the same thing differs in the same way, wherever it stands in the file."""
    facts = [server, drift.type, drift.kind, drift.name, drift.summary]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _uri(path: Path) -> str:
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
