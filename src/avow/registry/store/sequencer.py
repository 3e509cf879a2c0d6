"""Appends to the log inside the transaction of the facts that it records, so that neither is there alone."""

import json
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from avow.core.tlog import entry as entries
from avow.core.tlog.checkpoint import Checkpoint as LogCheckpoint
from avow.core.tlog.checkpoint import sign_checkpoint
from avow.core.tlog.entry import Entry
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import Signer
from avow.core.tlog.tree import Node, inclusion_proof, new_nodes, nodes_of_inclusion, nodes_of_root, root
from avow.errors import StorageError
from avow.registry import times
from avow.registry.model import Checkpoint, Proof
from avow.registry.store.database import Database
from avow.registry.store.log import newest_checkpoint, nodes, place
from avow.registry.store.seals import sealing_key

NOTABLE: Final = 5 * 60 * 1000
"""How many milliseconds a clock may fall behind the log before the operator is told."""

LOG: Final = logging.getLogger("avow.registry")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_COUNTERS: Final = ("size", "last_ms", "versions", "servers", "capabilities", "namespaces")
_READ: Final = f"SELECT origin, verifier, {', '.join(_COUNTERS)} FROM registry_log WHERE one = 1"  # noqa: S608
# PostgreSQL: whoever holds the row writes, and all others wait. In SQLite the whole file is ours already.
_LOCK: Final = {"sqlite": _READ, "postgresql": f"{_READ} FOR UPDATE"}
_WRITE: Final = (
    "UPDATE registry_log SET size = $1, last_ms = $2, versions = $3, servers = $4, capabilities = $5, "
    "namespaces = $6 WHERE one = 1"
)


@dataclass(slots=True)
class Edge:
    """The hashes that the next append needs; they never change, and so may be remembered."""

    size: int = -1
    hashes: dict[Node, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sealed:
    """The log after the append: its newest checkpoint, and what proofs of new entries are made of."""

    checkpoint: Checkpoint
    known: dict[Node, bytes]


class Append:
    """One transaction's entries, and the numbers that it gives out."""

    def __init__(self, database: Database, signer: Signer | None, edge: Edge) -> None:
        """Nothing is read before `begin`."""
        self._database = database
        self._signer = signer
        self._edge = edge
        self._before: tuple[int, ...] = ()
        self.entries: list[bytes] = []
        self.size = self.last_ms = self._now = 0
        self.versions = self.servers = self.capabilities = self.namespaces = 0

    async def begin(self) -> None:
        """Take the row that only one writer has, and read where the log is.

        Raises:
            StorageError: the log belongs to another key, or the row is gone.
        """
        rows = await self._database.fetch(_LOCK[self._database.dialect])
        if not rows:
            raise StorageError("the log of this registry is gone", hint="restore a backup")
        _, verifier, *counters = rows[0]
        if self._signer is not None and str(self._signer.verifier()) != verifier:
            raise wrong_key(verifier)
        self._before = tuple(counters)
        for name, value in zip(_COUNTERS, counters, strict=True):
            setattr(self, name, value)

    def time(self, at: datetime) -> int:
        """The time to record, in milliseconds: never before that of an entry that is there.

        Which of two clocks is wrong cannot be told, and an entry of the future stays: nothing is refused.
        """
        now = milliseconds(at)
        if now < self.last_ms - NOTABLE and not self.entries:
            told = {"event": "clock_behind_log", "clock": rfc3339(now), "log": rfc3339(self.last_ms)}
            LOG.warning(json.dumps(told))
        self._now = max(now, self.last_ms)
        return self._now

    def add(self, entry: Entry) -> int:
        """Put an entry at the end; the answer is its place.

        Raises:
            StorageError: there is no key to sign the log with.
            MalformedInputError: a member of it is not what the format wants.
        """
        if self._signer is None:
            raise missing_key()
        self.entries.append(entries.dumps(entry))
        self.last_ms = self._now
        return self.size + len(self.entries) - 1

    @property
    def has_key(self) -> bool:
        """Whether the key of the log is there."""
        return self._signer is not None

    @property
    def sealing_key(self) -> bytes:
        """What rows beside the log are sealed with.

        Raises:
            StorageError: there is no key of the log, and what is not sealed would look tampered with.
        """
        if self._signer is None:
            raise missing_key()
        return sealing_key(self._signer)

    async def seal(self) -> Sealed:
        """Write entries, hashes and a signed checkpoint; the caller commits."""
        if self.entries:
            sealed = await self._append()
        else:
            sealed = Sealed(await newest_checkpoint(self._database), {})
        after = tuple(getattr(self, name) for name in _COUNTERS)
        if after != self._before:
            await self._database.run(_WRITE, [after])
        return sealed

    async def _append(self) -> Sealed:
        assert self._signer is not None
        known = await self._edge_hashes()
        added = new_nodes(self.size, [leaf_hash(each) for each in self.entries], known.__getitem__)
        known.update(added)
        first, self.size = self.size, self.size + len(self.entries)
        hashed = root(self.size, known.__getitem__)
        note = sign_checkpoint(LogCheckpoint(self._signer.name, self.size, hashed), self._signer)
        run = self._database.run
        await run(
            "INSERT INTO log_entries (number, entry) VALUES ($1, $2)", list(enumerate(self.entries, first))
        )
        rows = [(place(node), value) for node, value in added]
        await run("INSERT INTO log_nodes (place, hash) VALUES ($1, $2)", rows)
        checkpoint = Checkpoint(self.size, hashed, note)
        await run(
            "INSERT INTO log_checkpoints (size, root, note) VALUES ($1, $2, $3)", [(self.size, hashed, note)]
        )
        return Sealed(checkpoint, known)

    async def _edge_hashes(self) -> dict[Node, bytes]:
        wanted = nodes_of_root(self.size)
        if self._edge.size == self.size:
            return dict(self._edge.hashes)
        found = dict(await nodes(self._database, wanted))
        if len(found) < len(wanted):
            raise StorageError("hashes of the log are missing: it is damaged", hint="restore a backup")
        return found

    def committed(self, sealed: Sealed) -> None:
        """Remember what the next append needs, now that it is durable."""
        if sealed.known:
            self._edge.hashes = {node: sealed.known[node] for node in nodes_of_root(self.size)}
            self._edge.size = self.size

    async def proof(self, index: int, sealed: Sealed) -> Proof:
        """What shows that an entry is in the log of the newest checkpoint."""
        size = sealed.checkpoint.size
        wanted = nodes_of_inclusion(index, size)
        known = sealed.known
        if missing := [node for node in wanted if node not in known]:
            known = {**known, **await nodes(self._database, missing)}
        return Proof(index, size, inclusion_proof(index, size, known.__getitem__))


def milliseconds(at: datetime) -> int:
    """Since 1970."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def moment(ms: int) -> datetime:
    """The inverse of `milliseconds`."""
    return datetime.fromtimestamp(ms // 1000, UTC).replace(microsecond=ms % 1000 * 1000)


def rfc3339(ms: int) -> str:
    """The time as entries of the log write it."""
    return times.rfc3339(moment(ms))


def missing_key() -> StorageError:
    """Why nothing can be recorded."""
    return StorageError(
        "the key that signs the log is not there: nothing can be recorded",
        hint="put the key file back from your backup; what is published can still be read",
    )


def wrong_key(verifier: str) -> StorageError:
    """Why the given key may not sign."""
    return StorageError(
        f"this log is signed by {verifier[:200]}, and the key given is another one",
        hint="put the key file back from your backup: with another key every reader would see a forged log",
    )
