"""The lockfile: what a person approved, for all servers, as a value and as the bytes of `avow.lock`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from avow.core.artifact import Artifact, artifact_document, read_artifact
from avow.core.canonical import MAX_FILE_DEPTH, JsonObject, JsonValue, parse_json
from avow.core.capability import Kind
from avow.core.documents import read_snapshot_document, snapshot_document
from avow.core.readable_json import readable_json
from avow.core.snapshot import Snapshot
from avow.errors import LockfileError, MalformedInputError

VERSION: Final = 1

# What a look says about itself in `extra`: of the old look, not of the entry.
_OF_THE_LOOK: Final = "incomplete"

_RESTORE: Final = "take the file from version control again, or remove it and run `avow lock`"


@dataclass(frozen=True, slots=True)
class Entry:
    """What was approved for one server, and the package that it came from when that is known."""

    snapshot: Snapshot
    artifact: Artifact | None = None


@dataclass(frozen=True, slots=True)
class Lockfile:
    """Approved servers by name; `extra` holds members that this version does not know."""

    servers: Mapping[str, Entry] = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)

    def approve(self, name: str, snapshot: Snapshot, artifact: Artifact | None = None) -> "Lockfile":
        """A lockfile in which `name` stands for `snapshot`; unknown members of the old entry stay."""
        if before := self.servers.get(name):
            snapshot = replace(
                snapshot, extra={**_still_fitting(before.snapshot, snapshot), **snapshot.extra}
            )
        return replace(self, servers={**self.servers, name: Entry(snapshot, artifact)})


def dumps(lockfile: Lockfile) -> bytes:
    """The bytes of the file: equal lockfiles give equal bytes."""
    servers = {name: _entry_document(entry) for name, entry in lockfile.servers.items()}
    return readable_json({**lockfile.extra, "lockfileVersion": VERSION, "servers": servers})


def loads(data: bytes) -> Lockfile:
    """The inverse of `dumps`.

    Raises:
        LockfileError: it is malformed, of a newer version, or a digest in it does not fit.
    """
    try:
        document = parse_json(data, max_depth=MAX_FILE_DEPTH)
    except MalformedInputError as exc:
        raise LockfileError(f"the lockfile is not valid: {exc.message}", hint=_how_to_repair(data)) from exc
    servers = _servers(document)
    extra = {m: value for m, value in document.items() if m not in {"lockfileVersion", "servers"}}
    return Lockfile({name: _read_entry(name, entry) for name, entry in servers.items()}, extra)


def _servers(document: JsonValue) -> JsonObject:
    version = document.get("lockfileVersion") if isinstance(document, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise LockfileError("this is not a lockfile that Avow wrote", hint=_RESTORE)
    if version > VERSION:
        raise LockfileError(
            f"the lockfile has version {version}, this Avow reads up to {VERSION}", hint="upgrade Avow"
        )
    servers = document.get("servers")
    if version != VERSION or not isinstance(servers, dict):
        raise LockfileError("the lockfile has no list of servers, or no valid version", hint=_RESTORE)
    return servers


def _entry_document(entry: Entry) -> JsonObject:
    document = snapshot_document(entry.snapshot)
    if entry.artifact is not None:
        document["artifact"] = artifact_document(entry.artifact)
    return document


def _read_entry(name: str, document: JsonValue) -> Entry:
    try:
        if not isinstance(document, dict) or "artifact" not in document:
            return Entry(read_snapshot_document(document))
        snapshot = {member: value for member, value in document.items() if member != "artifact"}
        return Entry(read_snapshot_document(snapshot), read_artifact(document["artifact"]))
    except MalformedInputError as exc:
        raise LockfileError(
            f"the entry of server {name!r}: {exc.message}", hint=exc.hint or _RESTORE
        ) from exc


def _still_fitting(before: Snapshot, after: Snapshot) -> JsonObject:
    """The unknown members of an entry, without those of capabilities that are gone."""
    kept = {member: value for member, value in before.extra.items() if member != _OF_THE_LOOK}
    for kind in Kind:
        present = after.signature.of_kind(kind)
        members = kept.pop(kind.collection, {})
        if fitting := {name: value for name, value in members.items() if name in present}:
            kept[kind.collection] = fitting
    return kept


def _how_to_repair(data: bytes) -> str:
    if b"<<<<<<< " in data and b">>>>>>> " in data:
        return "resolve the merge conflict: keep either side of each entry, then run `avow check`"
    return _RESTORE
