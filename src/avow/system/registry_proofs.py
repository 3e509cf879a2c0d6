"""The proofs behind what is remembered as approved: an edited memory is noticed without the registry."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonValue, parse_json
from avow.core.publication import ServerName
from avow.core.readable_json import readable_json
from avow.core.tlog import entry as entries
from avow.core.tlog.checkpoint import VerifiedCheckpoint, open_checkpoint
from avow.core.tlog.decisions import APPROVED, newest_of_each, standing
from avow.core.tlog.encoding import to_base64
from avow.core.tlog.entry import ApprovalEntry, PublicationEntry
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.proofs import verify_inclusion
from avow.errors import StorageError
from avow.system.files import read_bounded
from avow.system.registry_client.approved_state import Approved, first_approvals
from avow.system.registry_client.client import RegistryClient, read_hashes
from avow.system.registry_client.remembered import Memory, place, reading

_MAX_FILE: Final = 64 * 1024 * 1024


class Recording(RegistryClient):
    """Asks as another client does, and keeps every proof that it is given, by the index of its entry."""

    def __init__(self, asking: RegistryClient) -> None:
        """Ask through `asking`, which stays whose it is."""
        self.url = asking.url
        self._asking = asking
        self.proofs: dict[int, tuple[bytes, tuple[bytes, ...]]] = {}

    def get(self, path: str, query: Mapping[str, object | None] | None = None, *, limit: int) -> bytes:
        """The bytes at a path; raises what `Transport.get` does."""
        return self._asking.get(path, query, limit=limit)

    def inclusion(self, index: int, size: int) -> tuple[bytes, tuple[bytes, ...]]:
        """An entry and its proof, which are kept; raises what `Transport.get` does."""
        self.proofs[index] = super().inclusion(index, size)
        return self.proofs[index]


@dataclass(frozen=True, slots=True)
class Proved:
    """The entries behind an answer, in the order of the log: each was proved to be in it.

    `approved_at` says which entry was the first to approve a version and digest.
    """

    decisions: tuple[ApprovalEntry, ...]
    publications: tuple[PublicationEntry, ...]
    approved_at: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, proofs: Mapping[int, tuple[bytes, tuple[bytes, ...]]]) -> "Proved":
        """What proofs are about that somebody has verified."""
        found = [(entries.loads(proofs[index][0]), index) for index in sorted(proofs)]
        return cls(
            tuple(each for each, _ in found if isinstance(each, ApprovalEntry)),
            tuple(each for each, _ in found if isinstance(each, PublicationEntry)),
            first_approvals(found),
        )

    def supports(self, approved: Approved) -> bool:
        """Whether everything in an answer follows from these entries."""
        return all(
            each.decision in self.decisions and self.state(each.version, each.digest) == APPROVED
            for each in approved.versions
        ) and (approved.publication is None or self._has(approved))

    def state(self, version: str, digest: str) -> str:
        """What the decisions about one version come to; they are all about one server and environment."""
        return standing(each.decision for each in self.about(version, digest))

    def about(self, version: str, digest: str) -> tuple[ApprovalEntry, ...]:
        """The decisions about one version."""
        return tuple(each for each in self.decisions if (each.version, each.digest) == (version, digest))

    def newest(self, version: str, digest: str) -> tuple[ApprovalEntry, ...]:
        """The last decision of each person about one version, however their name is spelled, oldest first."""
        return tuple(newest_of_each(self.about(version, digest), lambda each: each.by).values())

    def _has(self, approved: Approved) -> bool:
        shown = approved.publication
        return shown is not None and any(
            (each.name, each.version, each.content, each.digest)
            == (str(approved.name), shown.version, shown.content, shown.snapshot.signature.digest)
            for each in self.publications
        )


def keep_proofs(
    memory: Memory, checkpoint: VerifiedCheckpoint, name: ServerName, environment: str, made: Recording
) -> None:
    """Keep what the client was given, all of which leads to this checkpoint.

    Raises:
        StorageError: it cannot be written.
    """
    proofs = [
        {"index": index, "entry": entry.decode(), "hashes": [to_base64(each) for each in hashes]}
        for index, (entry, hashes) in sorted(made.proofs.items())
    ]
    document = {"avow": 1, "checkpoint": checkpoint.note.decode(), "proofs": proofs}
    memory.write(proofs_file(memory, name, environment), readable_json(document))


def recall_proofs(memory: Memory, name: ServerName, environment: str) -> Proved:
    """The entries that were kept, each proved again by the key of the log that is remembered.

    Raises:
        StorageError: they cannot be read, or a proof does not hold: somebody changed the file.
    """
    file = proofs_file(memory, name, environment)
    with reading(changed(name, file)):
        proofs = _verified(memory, parse_json(read_bounded(file, _MAX_FILE)))
        return _about(Proved.of(proofs), name, environment)


def changed(name: ServerName, file: Path) -> StorageError:
    """The error of a memory that its own proofs do not support."""
    return StorageError(
        f"what is remembered as approved for {name} was changed: the proofs in {file} do not support it",
        hint="nothing of it is used: ask again while the registry can be reached",
    )


def _verified(memory: Memory, document: JsonValue) -> dict[int, tuple[bytes, tuple[bytes, ...]]]:
    known = memory.recall()
    if known is None:
        raise ValueError("a log that was never met")
    checkpoint = open_checkpoint(document["checkpoint"].encode(), known.key).checkpoint
    proofs = dict(map(_read, document["proofs"]))
    for index, (entry, hashes) in proofs.items():
        verify_inclusion(leaf_hash(entry), index, checkpoint.size, hashes, checkpoint.root)
    return proofs


def _about(proved: Proved, name: ServerName, environment: str) -> Proved:
    if any((each.name, each.environment) != (str(name), environment) for each in proved.decisions):
        raise ValueError("decisions about something else")
    return proved


def _read(proof: JsonValue) -> tuple[int, tuple[bytes, tuple[bytes, ...]]]:
    match proof:
        case {"index": int(index), "entry": str(entry), "hashes": list(hashes)}:
            return index, (entry.encode(), read_hashes(hashes))
        case _:
            raise ValueError("not a proof")


def proofs_file(memory: Memory, name: ServerName, environment: str) -> Path:
    """Where the proofs of one answer are."""
    return memory.directory / "proofs" / f"{place(str(name), environment)}.json"
