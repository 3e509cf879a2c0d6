"""The vocabulary of drift: what can differ, how each difference acts, and how both are written down."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from avow.core.canonical import JsonObject, JsonValue
from avow.core.severity import Severity


class DriftType(StrEnum):
    """Everything that can differ between two snapshots."""

    TOOL_ADDED = "tool_added"
    TOOL_REMOVED = "tool_removed"
    TOOL_CHANGED = "tool_changed"
    RISK_LEVEL_CHANGED = "risk_level_changed"
    PROMPT_ADDED = "prompt_added"
    PROMPT_REMOVED = "prompt_removed"
    PROMPT_CHANGED = "prompt_changed"
    RESOURCE_ADDED = "resource_added"
    RESOURCE_REMOVED = "resource_removed"
    RESOURCE_CHANGED = "resource_changed"
    TEMPLATE_ADDED = "template_added"
    TEMPLATE_REMOVED = "template_removed"
    TEMPLATE_CHANGED = "template_changed"
    INSTRUCTIONS_CHANGED = "instructions_changed"
    CAPABILITIES_CHANGED = "capabilities_changed"
    CONFIGURATION_CHANGED = "configuration_changed"
    SERVER_CHANGED = "server_changed"
    ARTIFACT_CHANGED = "artifact_changed"
    PROTOCOL_DOWNGRADED = "protocol_downgraded"
    SIGNATURE_MALFORMED = "signature_malformed"


class Effect(StrEnum):
    """What one change does to what a caller may send, or to what a model reads."""

    WIDENS = "widens"
    NARROWS = "narrows"
    NOTATION = "notation"
    WORDING = "wording"
    PROMISE = "promise"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Change:
    """One place in a definition that differs.

    `path` is a JSON pointer into the definition, `change` is `added`, `removed` or `changed`,
    `summary` says it in words. `before` and `after` are the values there, where there are any.
    """

    path: str
    change: str
    effect: Effect
    severity: Severity
    summary: str
    before: JsonValue = None
    after: JsonValue = None


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between two snapshots.

    `kind` is a kind of capability or `server`; `hint` is the likely harmless reason, or what to do;
    `seen` says which look at the server showed it, when it was not the first.
    """

    type: DriftType
    kind: str
    name: str
    severity: Severity
    summary: str
    changes: tuple[Change, ...] = ()
    hint: str = ""
    seen: str = ""


def highest(drifts: Iterable[Drift]) -> Severity | None:
    """The highest severity among `drifts`; None when there are none."""
    return max((drift.severity for drift in drifts), key=lambda severity: severity.rank, default=None)


def drift_document(drift: Drift) -> JsonObject:
    """One drift as machine output writes it."""
    document: JsonObject = {
        "type": str(drift.type),
        "kind": drift.kind,
        "name": drift.name,
        "severity": str(drift.severity),
        "summary": drift.summary,
        "changes": [_change_document(change) for change in drift.changes],
    }
    if drift.hint:
        document["hint"] = drift.hint
    if drift.seen:
        document["seen"] = drift.seen
    return document


def _change_document(change: Change) -> JsonObject:
    document: JsonObject = {
        "path": change.path,
        "change": change.change,
        "effect": str(change.effect),
        "severity": str(change.severity),
        "summary": change.summary,
    }
    if change.change != "added":
        document["before"] = change.before
    if change.change != "removed":
        document["after"] = change.after
    return document
