"""Whether a store is what its log says: every entry, every hash, every signature, and every row that follows.

A store is a function of its log and of what was signed. It is computed again beside the one that is there,
by the same code, and both are compared row by row. What another version of Avow rated or compared
differently shows up here as well.
"""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import Final

from avow.core.keys import PrivateKey, PublicKey
from avow.core.publication import ServerName
from avow.core.tlog import entry as entries
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry, PublicationEntry
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import Signer, VerifierKey
from avow.core.tlog.tree import Node, new_nodes, nodes_of_root, root
from avow.errors import AvowError, StorageError
from avow.registry.model import Approval, ApprovalState, Environment
from avow.registry.publishing import publish
from avow.registry.store.base import SqlStore
from avow.registry.store.dumping import KEYS, PAGE
from avow.registry.store.sqlite import SqliteStore

# Signs the checkpoints of the copy, which nobody ever sees.
_COPY: Final = Signer("copy", PrivateKey(bytes(32)))
_BATCH: Final = 256


async def audit(store: SqlStore, key: VerifierKey) -> AsyncGenerator[str, None]:
    """What is wrong with a store, in words; nothing when all is well."""
    try:
        size = await _check_log(store, key)
        with tempfile.TemporaryDirectory(prefix="avow-audit-") as directory:
            copy = await SqliteStore.open(Path(directory) / "copy.db", _COPY)
            try:
                await _replay(store, copy, size)
                async with aclosing(_differences(store, copy)) as differences:
                    async for difference in differences:
                        yield difference
            finally:
                await copy.close()
    except AvowError as error:
        yield error.message
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A number that stands for nothing, a text that is none: whoever wrote it, it was not this program.
        yield f"a row cannot be read: {type(error).__name__}: {error}"


async def _check_log(store: SqlStore, key: VerifierKey) -> int:
    """Compute the root again from all entries, and see that the log's key has signed it.

    Raises:
        AvowError: it has not.
    """
    newest = await store.checkpoint()
    if newest is None:
        raise StorageError("the log has no checkpoint")
    signed = open_checkpoint(newest.note, key).checkpoint
    edge: dict[Node, bytes] = {}
    for first in range(0, signed.size, _BATCH):
        found = await store.entries(first, min(first + _BATCH, signed.size))
        edge.update(new_nodes(first, [leaf_hash(entry) for entry in found], edge.__getitem__))
        edge = {node: edge[node] for node in nodes_of_root(first + len(found))}
    if (newest.size, newest.root) != (signed.size, signed.root):
        raise StorageError(f"the checkpoint of size {newest.size} is not what was signed")
    if len(await store.entries(signed.size, signed.size + 1)) or not _fits(signed.size, signed.root, edge):
        raise StorageError("the entries of the log are not those that were signed")
    return signed.size


def _fits(size: int, signed: bytes, edge: dict[Node, bytes]) -> bool:
    try:
        return root(size, edge.__getitem__) == signed
    except KeyError:
        return False


async def _replay(store: SqlStore, copy: SqlStore, size: int) -> None:
    """Do again all that the log records, with what was signed, which is verified again.

    Raises:
        AvowError: something cannot be done again.
    """
    keys: dict[str, PublicKey] = {}
    for first in range(0, size, _BATCH):
        for index, data in enumerate(await store.entries(first, min(first + _BATCH, size)), first):
            entry = entries.loads(data)
            try:
                await _again(store, copy, entry, keys)
            except AvowError as error:
                raise StorageError(f"entry {index} of the log, a {entry.type}: {error.message}") from error


async def _again(store: SqlStore, copy: SqlStore, entry: Entry, keys: dict[str, PublicKey]) -> None:
    at = datetime.fromisoformat(entry.time)
    match entry:
        case NamespaceEntry():
            await _learn(store, entry.namespace, keys)
            await copy.claim(entry.namespace, _known(keys, entry.key), entry.by, at)
        case KeyEntry():
            await _learn(store, entry.namespace, keys)
            added = [_known(keys, each) for each in entry.added]
            revoked = [_known(keys, each).identifier for each in entry.revoked]
            await copy.change_keys(entry.namespace, entry.by, at, add=added, revoke=revoked)
        case PublicationEntry():
            envelope = await store.envelope(ServerName.read(entry.name), entry.version)
            if envelope is None:
                raise StorageError(f"{entry.name} {entry.version} is missing")
            await publish(copy, envelope, at)
        case ApprovalEntry():
            name = ServerName.read(entry.name)
            version = await copy.version(name, entry.version)
            if version is None or version.digest != entry.digest:
                raise StorageError(f"{entry.name} {entry.version} is not what was decided about")
            await copy.set_environment(Environment(entry.environment, entry.needed))
            state = ApprovalState(entry.state)
            words = (entry.environment, state, entry.by, entry.reason)
            await copy.decide(Approval(name, entry.version, version.digest, *words, at))


async def _learn(store: SqlStore, namespace: str, keys: dict[str, PublicKey]) -> None:
    """The log names keys by their digests; the keys themselves are in the store."""
    found = await store.namespace(namespace)
    keys.update({each.key.identifier: each.key for each in found.keys} if found else {})


def _known(keys: dict[str, PublicKey], identifier: str) -> PublicKey:
    if identifier not in keys:
        raise StorageError(f"the key {identifier} is missing")
    return keys[identifier]


async def _differences(store: SqlStore, copy: SqlStore) -> AsyncGenerator[str, None]:
    for table in KEYS:
        end = max(await store.last(table), await copy.last(table))
        for after in range(0, end + 1, PAGE):
            there, computed = await store.rows(table, after), await copy.rows(table, after)
            if there != computed:
                different = [row for row in there if row not in computed] or [
                    row for row in computed if row not in there
                ]
                yield f"{table}: {len(different)} row(s) from {after} are not what follows from the log"
