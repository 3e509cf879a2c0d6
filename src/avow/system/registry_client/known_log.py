"""What is known of a registry's log from reading it: where somebody decided, and whose keys namespaces had.

It is remembered in one file, with how far the log was read and the proof that this is how it begins.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, parse_json
from avow.core.readable_json import readable_json
from avow.core.tlog import entry as entries
from avow.core.tlog.checkpoint import Checkpoint, VerifiedCheckpoint, open_checkpoint
from avow.core.tlog.encoding import from_base64, to_base64
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry
from avow.core.tlog.hashing import EMPTY_ROOT
from avow.core.tlog.notes import VerifierKey
from avow.core.tlog.proofs import verify_consistency
from avow.errors import MalformedInputError, PeerProtocolError, StorageError
from avow.system.alone import alone_in
from avow.system.files import read_bounded
from avow.system.registry_client.client import read_hashes
from avow.system.registry_client.remembered import Memory, place, reading

MAX_FILE: Final = 64 * 1024 * 1024
# Entries are canonical JSON, in which nothing else is spelled like these.
_WANTED: Final = (b'"type":"approval"', b'"type":"namespace"', b'"type":"key"')

Keys = Mapping[str, tuple[int, int | None]]
"""From which entry on a key was one of a namespace's, and until which."""


@dataclass(frozen=True, slots=True)
class KnownLog:
    """A log of which the first `size` entries were read; `proof` leads from their root to the checkpoint.

    Decisions are by what they are about. They may be of later entries, too: some were only shown.
    """

    checkpoint: VerifiedCheckpoint
    size: int = 0
    root: bytes = EMPTY_ROOT
    proof: tuple[bytes, ...] = ()
    decisions: Mapping[str, frozenset[int]] = field(default_factory=dict)
    keys: Mapping[str, Keys] = field(default_factory=dict)

    @property
    def read(self) -> Checkpoint:
        """What was read, as if the log had ended there."""
        return Checkpoint(self.checkpoint.checkpoint.origin, self.size, self.root)

    @property
    def unread(self) -> int:
        """How many entries were not read yet."""
        return self.checkpoint.checkpoint.size - self.size

    def decided(self, name: str, environment: str) -> frozenset[int]:
        """The entries that decide about a server in an environment."""
        return self.decisions.get(place(name, environment), frozenset())

    def had_key(self, namespace: str, key: str, index: int) -> bool | None:
        """Whether a key was one of a namespace's at an entry; None when not all before it was read."""
        if index > self.size:
            return None
        since, until = self.keys.get(namespace, {}).get(key, (index, None))
        return since < index and (until is None or index < until)

    def with_decisions(self, others: Mapping[str, Iterable[int]]) -> "KnownLog":
        """The same, with decisions that are in the log."""
        known = self.decisions
        added = {where: known.get(where, frozenset()).union(indices) for where, indices in others.items()}
        return replace(self, decisions={**known, **added})

    def read_on(self, upto: Checkpoint, found: Mapping[int, bytes], proof: tuple[bytes, ...]) -> "KnownLog":
        """The same, read further: `found` are those of the entries in between that are wanted."""
        decisions: dict[str, list[int]] = {}
        keys = {namespace: dict(known) for namespace, known in self.keys.items()}
        for index, entry in ((index, _loads_entry(found[index])) for index in sorted(found)):
            match entry:
                case ApprovalEntry():
                    decisions.setdefault(place(entry.name, entry.environment), []).append(index)
                case NamespaceEntry():
                    # A namespace is given once; after that, only a change of its keys changes them.
                    keys.setdefault(entry.namespace, {entry.key: (index, None)})
                case KeyEntry() if entry.namespace in keys:
                    _change(keys[entry.namespace], entry, index)
        grown = replace(self, size=upto.size, root=upto.root, proof=proof, keys=keys)
        return grown.with_decisions(decisions)


def is_wanted(entry: bytes) -> bool:
    """Whether an entry says something that is remembered."""
    return any(each in entry for each in _WANTED)


def _change(keys: dict[str, tuple[int, int | None]], entry: KeyEntry, index: int) -> None:
    for added in entry.added:
        # What was revoked once stays revoked.
        keys.setdefault(added, (index, None))
    for revoked in entry.revoked:
        if revoked in keys and keys[revoked][1] is None:
            keys[revoked] = (keys[revoked][0], index)


def _loads_entry(data: bytes) -> Entry | None:
    try:
        return entries.loads(data)
    except MalformedInputError:
        # Of a format to come: nobody is shown it as a decision either.
        return None


def recall_log(memory: Memory) -> KnownLog | None:
    """What is remembered, or None when nothing was ever read.

    Raises:
        StorageError: it cannot be read, or is damaged; to be forgotten is what an attacker wants.
    """
    file, log = _file(memory), memory.recall()
    if log is None or not file.exists():
        return None
    damaged = StorageError(
        f"what is remembered of the log of {memory.url} in {file} is damaged",
        hint="restore the file; removing it means reading the log anew",
    )
    with reading(damaged):
        return _loads(parse_json(read_bounded(file, MAX_FILE)), log.key)


def remember_log(memory: Memory, known: KnownLog) -> None:
    """Keep it, with what another process may have learned meanwhile.

    Raises:
        PeerProtocolError: it is more than can be remembered.
        StorageError: it cannot be written.
    """
    with alone_in(memory.directory):
        there = recall_log(memory)
        both = known if there is None else _longer(there, known)
        if both == there:
            return
        data = readable_json(_document(both))
        if len(data) > MAX_FILE:
            raise PeerProtocolError(f"the log of {memory.url} holds more decisions than can be remembered")
        memory.write(_file(memory), data)


def _longer(one: KnownLog, other: KnownLog) -> KnownLog:
    longer = max(one, other, key=lambda each: (each.size, each.checkpoint.checkpoint.size))
    return longer.with_decisions(one.decisions).with_decisions(other.decisions)


def _document(known: KnownLog) -> JsonObject:
    return {
        "avow": 1,
        "checkpoint": known.checkpoint.note.decode(),
        "read": {
            "size": known.size,
            "root": to_base64(known.root),
            "proof": [to_base64(each) for each in known.proof],
        },
        "decisions": {where: sorted(indices) for where, indices in known.decisions.items()},
        "keys": {
            namespace: {key: list(span) for key, span in keys.items()}
            for namespace, keys in known.keys.items()
        },
    }


def _loads(document: JsonValue, key: VerifierKey) -> KnownLog:
    checkpoint = open_checkpoint(document["checkpoint"].encode(), key)
    read = document["read"]
    size, root, proof = int(read["size"]), from_base64(read["root"]) or b"", read_hashes(read["proof"])
    signed = checkpoint.checkpoint
    verify_consistency(size, signed.size, proof, root, signed.root)
    return KnownLog(
        checkpoint,
        size,
        root,
        proof,
        {where: frozenset(map(int, indices)) for where, indices in document["decisions"].items()},
        {
            namespace: {key: _span(*span) for key, span in keys.items()}
            for namespace, keys in document["keys"].items()
        },
    )


def _span(since: JsonValue, until: JsonValue) -> tuple[int, int | None]:
    return int(since), None if until is None else int(until)


def _file(memory: Memory) -> Path:
    return memory.directory / "decisions.json"
