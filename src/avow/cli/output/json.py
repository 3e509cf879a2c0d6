"""Machine output: one JSON document, with the members that DESIGN names."""

import json
from typing import Any

from avow.cli.output.report import DriftReport, Need, SnapshotReport
from avow.core.canonical import JsonObject
from avow.core.documents import snapshot_document
from avow.core.drift.model import drift_document
from avow.errors import AvowError
from avow.system.checking import Compared, Failed, Outcome, Variance
from avow.system.configuration.preflight import ConfigurationNeededError


def dumps(document: Any) -> str:
    """The document as it is printed: indented, one newline at the end.

    Pure ASCII, since a terminal would obey some of what a server may send.
    """
    return json.dumps(document, indent=2) + "\n"


def drift(report: DriftReport) -> str:
    """A drift report."""
    if not report.many:
        return dumps(outcome_document(report.outcomes[0]))
    return dumps({"servers": {outcome.name: outcome_document(outcome) for outcome in report.outcomes}})


def outcome_document(outcome: Outcome) -> JsonObject:
    """One server's drift, or why it could not be looked at."""
    match outcome:
        case Failed(error=error):
            return error_document(error)
        case Compared():
            document: JsonObject = {
                "digest": {"approved": outcome.approved, "observed": outcome.observed},
                "drift": [drift_document(drift) for drift in outcome.drift],
                "highest": outcome.highest,
            }
            if outcome.allowed:
                document["allowed"] = [
                    {
                        **drift_document(allowed.drift),
                        "reason": allowed.rule.reason,
                        "expires": allowed.rule.expires,
                    }
                    for allowed in outcome.allowed
                ]
            if outcome.notes:
                document["notes"] = list(outcome.notes)
            return document


def error_document(error: AvowError) -> JsonObject:
    """A failure as a document."""
    document: JsonObject = {"error": {"message": error.message, "hint": error.hint}}
    if isinstance(error, ConfigurationNeededError):
        document["configuration"] = error.data["avow"]
    return document


def snapshot(report: SnapshotReport) -> str:
    """What a server is and can do; `variance` is there when somebody looked for it."""
    document = snapshot_document(report.snapshot)
    if report.variance is not None:
        document["variance"] = variance_document(report.variance)
    if report.needs:
        document["parameters"] = [need_document(need) for need in report.needs]
    return dumps(document)


def need_document(need: Need) -> JsonObject:
    """One thing that a server can be told."""
    return {
        "name": need.name,
        "kind": need.kind,
        "type": need.type,
        "required": need.required,
        "sensitive": need.sensitive,
        "present": need.present,
        "source": need.source,
    }


def variance_document(variance: Variance) -> list[JsonObject]:
    """What further looks showed and the first did not."""
    return [
        {"seen": seen, "drift": [drift_document(drift) for drift in drifts]}
        for seen, drifts in variance.items()
    ]
