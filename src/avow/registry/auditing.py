"""Whether a store is what its log says: every entry, every hash, every signature, and every row that follows.

A store is a function of its log and of what was signed. It is computed again beside the one that is there,
by the same code, and both are compared row by row. What another version of Avow rated or compared
differently shows up here as well. What the log does not record carries seals of its key.
"""

import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import Final

from avow.core.keys import PrivateKey, PublicKey
from avow.core.publication import ServerName
from avow.core.tlog import entry as entries
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry, PublicationEntry
from avow.core.tlog.notes import Signer, VerifierKey
from avow.errors import AvowError, StorageError
from avow.registry.auditing_log import BATCH, check_log
from avow.registry.comparing import differences
from avow.registry.model import Approval, ApprovalState, Environment
from avow.registry.publishing import publish
from avow.registry.store import dumping
from avow.registry.store.base import SqlStore
from avow.registry.store.migrating import HEAD
from avow.registry.store.seals import SEALED
from avow.registry.store.sqlite import SqliteStore

# Signs the checkpoints of the copy, which nobody ever sees.
_COPY: Final = Signer("copy", PrivateKey(bytes(32)))


async def audit(
    store: SqlStore, key: VerifierKey, witnesses: Sequence[VerifierKey] = ()
) -> AsyncGenerator[str, None]:
    """What is wrong with a store, in words; nothing when all is well.

    `witnesses` are all who have cosigned: a signature that none of them made is a problem too.
    """
    try:
        async with aclosing(_problems(store, key, witnesses)) as problems:
            async for problem in problems:
                yield problem
    except AvowError as error:
        yield error.message
    except Exception as error:  # noqa: BLE001
        # A number that stands for nothing, a text that is none, whatever a database says of such a row:
        # whoever wrote it, it was not this program.
        yield f"a row cannot be read: {type(error).__name__}: {error}"


async def _problems(
    store: SqlStore, key: VerifierKey, witnesses: Sequence[VerifierKey]
) -> AsyncGenerator[str, None]:
    for found in await store.dump(dumping.damage):
        yield f"the database is damaged: {found}"
    if (steps := await store.dump(dumping.step)) != [HEAD]:
        yield f"the tables are at step {steps}, not at {HEAD}"
    for table in SEALED:
        for which in await store.broken_seals(table):
            yield f"{table}: the seal of {which!r} does not fit: somebody without the log's key changed it"
    size = await check_log(store, key, witnesses)
    with tempfile.TemporaryDirectory(prefix="avow-audit-") as directory:
        copy = await SqliteStore.open(Path(directory) / "copy.db", _COPY, is_durable=False)
        try:
            await _replay(store, copy, size)
            async with aclosing(differences(store, copy, key)) as found_differences:
                async for difference in found_differences:
                    yield difference
        finally:
            await copy.close()


async def _replay(store: SqlStore, copy: SqlStore, size: int) -> None:
    """Do again all that the log records, with what was signed, which is verified again.

    Raises:
        AvowError: something cannot be done again.
    """
    keys: dict[str, PublicKey] = {}
    for first in range(0, size, BATCH):
        for index, data in enumerate(await store.entries(first, min(first + BATCH, size)), first):
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
