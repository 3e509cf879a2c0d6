"""Does again what another registry did, as its export tells: every signature is verified by the keys of then.

Where the key of the log is the same and the log here is how the other one begins, it is the same registry in
another place: times are kept, and the log goes on as the one that everybody knows. Otherwise everything gets
its place and time in the log of this registry.
"""

import json
import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from avow.core import dsse
from avow.core.canonical import JsonObject, canonical
from avow.core.keys import KeyId, PublicKey, read_public_key
from avow.core.publication import ServerName, read_publication, read_watched
from avow.core.severity import Severity
from avow.core.tlog import entry as entries
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry, PublicationEntry
from avow.core.tlog.notes import VerifierKey
from avow.core.tlog.tree import nodes_of_root, root
from avow.errors import AvowError, MalformedInputError, StorageError
from avow.registry.approvals import found_version
from avow.registry.export_reading import Export, read_export
from avow.registry.model import Approval, ApprovalState, ConflictError, Environment, Watch
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.tokens import read_person


@dataclass(frozen=True, slots=True)
class Imported:
    """How much an import brought, how much was there already, and whether the log is the same one."""

    new: int
    known: int
    is_same_log: bool


async def import_file(
    store: Store, path: Path, now: datetime, *, own: VerifierKey | None, key: VerifierKey | None = None
) -> Imported:
    """Read an export into a store; what is there already is left alone.

    `own` is the key of the log here, `key` that of the other log, if somebody knows it.

    Raises:
        MalformedInputError: a line is no such thing; what came before it stays.
        VerificationError: the entries are not those of the signed checkpoint, or a publication is not signed
            by a key of its namespace.
        ConflictError: something else is here under the same name, or in the same log.
    """
    export = read_export(path, key)
    is_same = own is not None and export.is_signed_by(own)
    begun = await _begun(store, export) if is_same else 0
    work = _Import(store, now, begun, is_same=is_same)
    for number, document in export.lines():
        try:
            await work.do(document)
        except AvowError as error:
            raise type(error)(f"line {number} of the export: {error.message}", hint=error.hint) from error
    await work.set_environments(export.environments)
    return Imported(work.new, work.known, is_same)


async def _begun(store: Store, export: Export) -> int:
    """How many entries of the same log are here already.

    Raises:
        ConflictError: the log here went another way.
    """
    newest = await store.checkpoint()
    if newest is None or newest.size == 0:
        return 0
    if newest.size <= export.size:
        fits = export.begins_with(newest.size, newest.root)
    else:
        nodes = await store.nodes(nodes_of_root(export.size))
        fits = export.checkpoint is None or root(export.size, nodes.__getitem__) == export.checkpoint.root
    if not fits:
        raise ConflictError(
            "the log here has the same key as that of the export, and another content",
            hint="import into an empty registry; one key must never sign two logs",
        )
    return newest.size


class _Import:
    """The work on one export, line by line."""

    def __init__(self, store: Store, now: datetime, begun: int, *, is_same: bool) -> None:
        self._store = store
        self._now = now
        self._begun = begun
        self._is_same = is_same
        self._index = 0
        self._decisions: Counter[tuple[str, ...]] = Counter()
        self.new = self.known = 0

    async def do(self, document: JsonObject) -> None:
        """What one line tells."""
        match document:
            case {"entry": dict(told)}:
                is_new = await self._entry(canonical(told), document)
            case {"watch": dict(told)}:
                is_new = await self._watch(told)
            case _:
                raise MalformedInputError("it is of no type known here")
        self.new, self.known = self.new + is_new, self.known + (not is_new)

    async def set_environments(self, told: dict[str, int]) -> None:
        """Set up those that are not here; who decides how many have to agree here is asked by nobody else."""
        here = {each.name: each.needed for each in await self._store.environments()}
        for name, needed in told.items():
            if name not in here or (self._is_same and here[name] != needed):
                await self._store.set_environment(Environment(name, needed))

    async def _entry(self, data: bytes, document: JsonObject) -> bool:
        index, self._index = self._index, self._index + 1
        if self._is_same and index < self._begun:
            return False
        entry = entries.loads(data)
        at = datetime.fromisoformat(entry.time) if self._is_same else self._now
        is_new = await self._again(entry, document, at)
        if self._is_same and await self._store.entries(index, index + 1) != [data]:
            raise StorageError(
                f"entry {index} of the log came out differently",
                hint="remove this database, and do not serve it: one key must never sign two logs",
            )
        return is_new

    async def _again(self, entry: Entry, document: JsonObject, at: datetime) -> bool:
        match entry:
            case NamespaceEntry():
                return await self._claim(entry, _keys(document, (entry.key,)), at)
            case KeyEntry():
                return await self._change(entry, _keys(document, entry.added), at)
            case PublicationEntry():
                return await self._publish(entry, document, at)
            case ApprovalEntry():
                return await self._decide(entry, at)

    async def _claim(self, entry: NamespaceEntry, keys: list[PublicKey], at: datetime) -> bool:
        found = await self._store.namespace(entry.namespace)
        if found is None:
            await self._store.claim(entry.namespace, keys[0], entry.by, at)
            return True
        if keys[0] not in [each.key for each in found.keys]:
            raise ConflictError(f"the namespace {entry.namespace} belongs to another key here")
        return False

    async def _change(self, entry: KeyEntry, keys: list[PublicKey], at: datetime) -> bool:
        found = await self._store.namespace(entry.namespace)
        known = {each.key.identifier: each for each in found.keys} if found else {}
        added = [key for key in keys if key.identifier not in known]
        revoked = [
            KeyId(key) for key in entry.revoked if key in known and known[KeyId(key)].revoked_at is None
        ]
        if added or revoked:
            await self._store.change_keys(entry.namespace, entry.by, at, add=added, revoke=revoked)
        return bool(added or revoked)

    async def _publish(self, entry: PublicationEntry, document: JsonObject, at: datetime) -> bool:
        data = json.dumps(document.get("envelope")).encode()
        told = read_publication(dsse.loads(data).payload)
        if (str(told.name), told.version, told.content) != (entry.name, entry.version, entry.content):
            raise MalformedInputError(f"the envelope is not that of {entry.name} {entry.version}")
        found = await self._store.version(told.name, told.version)
        # What is there was verified when it came, by a key that may have been revoked since.
        if found is not None and found.content == told.content:
            return False
        return (await publish(self._store, data, at)).is_new

    async def _decide(self, entry: ApprovalEntry, at: datetime) -> bool:
        version = await found_version(self._store, ServerName.read(entry.name), entry.version)
        words = (entry.environment, ApprovalState(entry.state), entry.by, entry.reason)
        made = await self._store.approvals(version.name, version.version)
        # Somebody may say the same again after having said something else.
        same = (entry.name, entry.version, *words)
        self._decisions[same] += 1
        here = sum((each.environment, each.state, each.by, each.reason) == words for each in made)
        if here >= self._decisions[same] and not self._is_same:
            return False
        if self._is_same:
            # As many had to agree as the entry says, which may not be how it is today.
            await self._store.set_environment(Environment(entry.environment, entry.needed))
        await self._store.decide(Approval(version.name, version.version, version.digest, *words, at))
        return True

    async def _watch(self, told: JsonObject) -> bool:
        match told:
            case {"person": str(person), "target": str(target), "level": str(level)} if level in list(
                Severity
            ):
                wish = (read_person(person), read_watched(target), Severity(level))
            case _:
                raise MalformedInputError("it is not a watch")
        there = await self._store.watches(wish[0])
        if any((each.person, each.target, each.level) == wish for each in there):
            return False
        await self._store.add_watch(Watch(secrets.token_hex(8), *wish, self._now))
        return True


def _keys(document: JsonObject, wanted: tuple[str, ...]) -> list[PublicKey]:
    told = document.get("keys")
    found = [read_public_key(str(each).encode()) for each in told] if isinstance(told, list) else []
    if tuple(each.identifier for each in found) != wanted:
        raise MalformedInputError("the keys are not those that the entry names")
    return found
