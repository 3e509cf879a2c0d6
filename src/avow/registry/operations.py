"""Keeping a registry: a copy in one file while it runs, and all that was published as lines for another one.

An export follows the log: what happened is told in the order in which it happened, and whoever imports it
verifies every signature again, by the keys that were good at that point.
"""

import json
import sqlite3
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from avow.core import dsse
from avow.core.canonical import JsonObject, parse_json
from avow.core.keys import KeyId, PublicKey, read_public_key
from avow.core.publication import ServerName, read_publication
from avow.core.tlog import entry as entries
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry, PublicationEntry
from avow.errors import MalformedInputError, StorageError, UsageError
from avow.registry.approvals import found_version
from avow.registry.model import Approval, ApprovalState, ConflictError, Environment
from avow.registry.opening import DATABASE, KEY, ORIGIN, Place
from avow.registry.publishing import publish
from avow.registry.store.interface import Store

FORMAT: Final = 1
_BATCH: Final = 256
_MAX_LINE: Final = 16 * 1024 * 1024
_FILES: Final = {DATABASE: 0o600, KEY: 0o600, f"{KEY}.pub": 0o644, ORIGIN: 0o644}


def backup(place: Place, target: Path) -> None:
    """Copy a registry that keeps everything in its directory into one file, while it may be running.

    The file holds the key of the log: it is made for its owner alone.

    Raises:
        UsageError: the registry is in PostgreSQL, which has its own tools.
        StorageError: something cannot be read or written, or the file is there already.
    """
    if place.database and not place.database.startswith("sqlite:///"):
        raise UsageError("a PostgreSQL is copied with pg_dump", hint=f"and copy {place.data / KEY} too")
    database = Path(place.database.removeprefix("sqlite:///")) if place.database else place.data / DATABASE
    if not database.is_file():
        raise StorageError(f"there is no registry in {place.data}", hint="name its directory with --data")
    try:
        with tempfile.TemporaryDirectory(prefix=".avow-backup-", dir=target.absolute().parent) as directory:
            copy = Path(directory) / DATABASE
            _copy_database(database, copy)
            made = Path(directory) / "backup"
            with tarfile.open(made, "x", format=tarfile.PAX_FORMAT) as archive:
                archive.add(copy, DATABASE)
                for name in (KEY, f"{KEY}.pub", ORIGIN):
                    if (place.data / name).is_file():
                        archive.add(place.data / name, name)
            made.chmod(0o600)
            # A link fails where something is, and so never overwrites.
            target.hardlink_to(made)
    except FileExistsError:
        raise StorageError(f"{target} is there already", hint="choose another name") from None
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        raise StorageError(f"the backup {target} cannot be written: {error}") from error


def restore(source: Path, directory: Path) -> None:
    """Put a backup into a directory that has no registry.

    Raises:
        StorageError: there is one already, or something cannot be read or written.
        MalformedInputError: it is no backup.
    """
    taken = [name for name in _FILES if (directory / name).exists()]
    if taken:
        raise StorageError(f"{directory / taken[0]} is there already", hint="restore into another directory")
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tarfile.open(source, "r:") as archive:
            members = archive.getmembers()
            # Nothing but these files, and those as files: an archive can name any place on the disk.
            if {each.name for each in members} - _FILES.keys() or not all(each.isfile() for each in members):
                raise MalformedInputError(f"{source} is not a backup of a registry")
            if DATABASE not in {each.name for each in members} or len(members) > len(_FILES):
                raise MalformedInputError(f"{source} is not a whole backup of a registry")
            for member in members:
                _write(directory / member.name, archive.extractfile(member), _FILES[member.name])
        _check_database(directory / DATABASE)
    except (OSError, tarfile.TarError, sqlite3.Error) as error:
        raise StorageError(f"{source} cannot be restored: {error}") from error


def _copy_database(source: Path, target: Path) -> None:
    address = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as before, closing(sqlite3.connect(target)) as after:
        before.backup(after)
        after.execute("PRAGMA journal_mode = DELETE")
    _check_database(target)


def _check_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA quick_check").fetchone()
    if found != ("ok",):
        raise StorageError(f"the database in {path} is damaged")


def _write(path: Path, content: Any, mode: int) -> None:
    assert content is not None  # only files are asked for
    with path.open("xb") as file:
        path.chmod(mode)
        while piece := content.read(1024 * 1024):
            file.write(piece)


async def export(store: Store) -> AsyncIterator[bytes]:
    """Everything that the log records, as JSON lines."""
    newest = await store.checkpoint()
    size = 0 if newest is None else newest.size
    environments = {each.name: each.needed for each in await store.environments()}
    yield _line({"avow": FORMAT, "type": "export", "entries": size, "environments": environments})
    for first in range(0, size, _BATCH):
        for data in await store.entries(first, min(first + _BATCH, size)):
            yield _line(await _told(store, entries.loads(data)))


async def _told(store: Store, entry: Entry) -> JsonObject:
    match entry:
        case PublicationEntry():
            envelope = await store.envelope(ServerName.read(entry.name), entry.version)
            if envelope is None:
                raise StorageError(f"the envelope of {entry.name} {entry.version} is missing")
            return {"type": entry.type, "time": entry.time, "envelope": json.loads(envelope)}
        case ApprovalEntry():
            return {
                "type": entry.type,
                "time": entry.time,
                "name": entry.name,
                "version": entry.version,
                "digest": entry.digest,
                "environment": entry.environment,
                "state": entry.state,
                "needed": entry.needed,
                "by": entry.by,
                "reason": entry.reason,
            }
        case NamespaceEntry():
            keys = await _keys(store, entry.namespace)
            return {
                "type": entry.type,
                "time": entry.time,
                "namespace": entry.namespace,
                "key": keys[entry.key],
                "by": entry.by,
            }
        case KeyEntry():
            keys = await _keys(store, entry.namespace)
            return {
                "type": entry.type,
                "time": entry.time,
                "namespace": entry.namespace,
                "added": [keys[each] for each in entry.added],
                "revoked": list(entry.revoked),
                "by": entry.by,
            }


async def _keys(store: Store, namespace: str) -> dict[str, str]:
    found = await store.namespace(namespace)
    if found is None:
        raise StorageError(f"the namespace {namespace} is missing")
    return {each.key.identifier: each.key.pem.decode("ascii") for each in found.keys}


@dataclass(frozen=True, slots=True)
class Imported:
    """How much an import brought, and how much was there already."""

    new: int
    known: int


async def import_lines(store: Store, lines: Iterable[bytes], now: datetime) -> Imported:
    """Do again what another registry did; what is there already is left alone.

    Raises:
        MalformedInputError: a line is no such thing; what came before it stays.
        VerificationError: a publication is not signed by a key of its namespace.
        ConflictError: something else is here under the same name.
    """
    new = known = 0
    for number, line in enumerate(lines, 1):
        if len(line) > _MAX_LINE:
            raise MalformedInputError(f"line {number} of the export is too long")
        if not line.strip():
            continue
        try:
            is_new = await _do(store, _read(line), now)
        except MalformedInputError as error:
            raise type(error)(f"line {number} of the export: {error.message}", hint=error.hint) from error
        new, known = new + is_new, known + (not is_new)
    return Imported(new, known)


def _read(line: bytes) -> JsonObject:
    document = parse_json(line, max_depth=100)
    if not isinstance(document, dict):
        raise MalformedInputError("it is not an object")
    return document


async def _do(store: Store, document: JsonObject, now: datetime) -> bool:
    match document:
        case {"type": "export", "avow": version}:
            if version != FORMAT:
                raise MalformedInputError(f"the export has format {version}", hint="upgrade Avow")
            for name, needed in document.get("environments", {}).items():
                await store.set_environment(Environment(str(name), int(needed)))
            return False
        case {"type": "namespace", "namespace": str(name), "key": str(pem), "by": str(by)}:
            return await _claim(store, name, read_public_key(pem.encode()), by, now)
        case {
            "type": "key",
            "namespace": str(name),
            "added": list(added),
            "revoked": list(revoked),
            "by": str(by),
        }:
            keys = [read_public_key(str(each).encode()) for each in added]
            return await _change(store, name, keys, [KeyId(str(each)) for each in revoked], by, now)
        case {"type": "publication", "envelope": dict(envelope)}:
            return await _publish(store, json.dumps(envelope).encode(), now)
        case {"type": "approval", "name": str(), "version": str(), "by": str(), "reason": str()}:
            return await _decide(store, document, now)
        case _:
            raise MalformedInputError("it is of no type known here")


async def _claim(store: Store, name: str, key: PublicKey, by: str, now: datetime) -> bool:
    found = await store.namespace(name)
    if found is None:
        await store.claim(name, key, by, now)
        return True
    if found.keys[0].key != key:
        raise ConflictError(f"the namespace {name} belongs to another key here")
    return False


async def _publish(store: Store, data: bytes, now: datetime) -> bool:
    told = read_publication(dsse.loads(data).payload)
    found = await store.version(told.name, told.version)
    # What is there was verified when it came, by a key that may have been revoked since.
    if found is not None and found.content == told.content:
        return False
    return (await publish(store, data, now)).is_new


async def _change(
    store: Store, name: str, add: list[PublicKey], revoke: list[KeyId], by: str, now: datetime
) -> bool:
    found = await store.namespace(name)
    known = {each.key.identifier: each for each in found.keys} if found else {}
    added = [key for key in add if key.identifier not in known]
    revoked = [key for key in revoke if key in known and known[key].revoked_at is None]
    if added or revoked:
        await store.change_keys(name, by, now, add=added, revoke=revoked)
    return bool(added or revoked)


async def _decide(store: Store, document: JsonObject, now: datetime) -> bool:
    version = await found_version(store, ServerName.read(document["name"]), document["version"])
    wanted = (document["environment"], document["state"], document["by"], document["reason"])
    made = await store.approvals(version.name, version.version)
    if any((each.environment, each.state, each.by, each.reason) == wanted for each in made):
        return False
    environment, state, by, reason = wanted
    approval = Approval(
        version.name, version.version, document["digest"], environment, ApprovalState(state), by, reason, now
    )
    await store.decide(approval)
    return True


def _line(document: JsonObject) -> bytes:
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode() + b"\n"
