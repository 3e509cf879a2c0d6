"""Which decisions are in a registry's log, so that none can be left out of what it answers.

A client reads all that is new in a log, and remembers where in it somebody decided about what. A log that has
grown too much meanwhile is not read: what was seen of it before has to be in the answers all the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, parse_json
from avow.core.publication import ServerName
from avow.core.readable_json import readable_json
from avow.core.tlog import entry as entries
from avow.core.tlog.auditing import new_entries
from avow.core.tlog.checkpoint import Checkpoint, VerifiedCheckpoint, open_checkpoint
from avow.core.tlog.entry import ApprovalEntry
from avow.core.tlog.hashing import EMPTY_ROOT
from avow.core.tlog.notes import VerifierKey
from avow.core.tlog.tiles import WIDTH
from avow.errors import AvowError, MalformedInputError, StorageError, VerificationError
from avow.system.alone import alone_in
from avow.system.files import read_bounded
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import ForkError
from avow.system.registry_client.remembered import Memory

MAX_READ: Final = 32 * WIDTH
"""How many new entries are read at most: 32 requests, and usually some megabytes."""

_MAX_FILE: Final = 64 * 1024 * 1024
# Entries are canonical JSON, in which nothing else is spelled like this.
_APPROVAL: Final = b'"type":"approval"'


@dataclass(frozen=True, slots=True)
class KnownDecisions:
    """Where in a log decisions are, by what they are about; all of those from the entry `since` on."""

    since: int
    checkpoint: VerifiedCheckpoint
    places: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def about(self, name: str, environment: str) -> frozenset[int]:
        """The entries that decide about a server in an environment."""
        return self.places.get(_place(name, environment), frozenset())

    def joined(self, others: Mapping[str, Iterable[int]]) -> "KnownDecisions":
        """The same, with others that are in the log."""
        known = self.places
        added = {place: known.get(place, frozenset()).union(indices) for place, indices in others.items()}
        return replace(self, places={**known, **added})


def require_all(
    client: RegistryClient,
    memory: Memory,
    checkpoint: VerifiedCheckpoint,
    name: ServerName,
    environment: str,
    shown: Iterable[int],
) -> None:
    """Check that what a registry shows of the decisions about a server leaves none out that is known of.

    Raises:
        ForkError: one is left out, or the log is not what it was with what is new in it.
        MalformedInputError: an answer makes no sense.
        UnavailableError: the registry does not answer, or nothing can be remembered.
    """
    known = _read_on(client, memory, checkpoint)
    indices = frozenset(shown)
    if hidden := sorted(known.about(str(name), environment) - indices):
        what = f"its answer leaves out entry {hidden[0]} of its log, about {name} in {environment}"
        raise _refusal(client, memory, checkpoint, what, {"hidden": hidden, "shown": sorted(indices)})
    _remember(memory, known.joined({_place(str(name), environment): indices}))


def _read_on(client: RegistryClient, memory: Memory, checkpoint: VerifiedCheckpoint) -> KnownDecisions:
    """What is remembered, and what is new since."""
    new, known = checkpoint.checkpoint, _recall(memory)
    old = Checkpoint(new.origin, 0, EMPTY_ROOT) if known is None else known.checkpoint.checkpoint
    known = known or KnownDecisions(0, checkpoint)
    if new.size <= old.size:
        return known
    if new.size - old.size > MAX_READ:
        return replace(known, since=new.size, checkpoint=checkpoint)
    try:
        found = new_entries(old, new, client.served, lambda entry: _APPROVAL in entry)
    except VerificationError as exc:
        what = f"its log does not go on from the {old.size} known entries as its checkpoint says"
        raise _refusal(
            client, memory, checkpoint, what, {"remembered": known.checkpoint.note.decode()}
        ) from exc
    return replace(known, checkpoint=checkpoint).joined(_places(found))


def _places(found: Mapping[int, bytes]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for index, data in found.items():
        try:
            entry = entries.loads(data)
        except MalformedInputError:
            # Of a format to come: nobody is shown it as a decision either.
            continue
        if isinstance(entry, ApprovalEntry):
            places.setdefault(_place(entry.name, entry.environment), []).append(index)
    return places


def _refusal(
    client: RegistryClient, memory: Memory, checkpoint: VerifiedCheckpoint, what: str, shown: JsonObject
) -> ForkError:
    told = {"avow": 1, "url": client.url, "what": what, "checkpoint": checkpoint.note.decode()}
    evidence = memory.keep_evidence({**told, **shown})
    return ForkError(
        f"DO NOT TRUST {client.url}: {what}", hint=f"what it showed is kept in {evidence}: show it to others"
    )


def _recall(memory: Memory) -> KnownDecisions | None:
    """What is remembered; what cannot be read is an error: to be forgotten is what an attacker wants."""
    file, log = _file(memory), memory.recall()
    if log is None or not file.exists():
        return None
    try:
        return _loads(parse_json(read_bounded(file, _MAX_FILE)), log.key)
    except StorageError:
        raise
    except (AvowError, KeyError, TypeError, AttributeError, ValueError) as exc:
        raise StorageError(
            f"what is remembered of the log of {memory.url} in {file} is damaged",
            hint="restore the file; removing it means reading the log anew",
        ) from exc


def _loads(document: JsonValue, key: VerifierKey) -> KnownDecisions:
    places = {str(place): frozenset(map(int, indices)) for place, indices in document["decisions"].items()}
    note = open_checkpoint(document["checkpoint"].encode(), key)
    return KnownDecisions(int(document["since"]), note, places)


def _remember(memory: Memory, known: KnownDecisions) -> None:
    # Another process may have learned something else meanwhile.
    with alone_in(memory.directory):
        there = _recall(memory) or known
        longer = max(there, known, key=lambda each: each.checkpoint.checkpoint.size)
        both = longer.joined(there.places).joined(known.places)
        document = {
            "avow": 1,
            "since": both.since,
            "checkpoint": both.checkpoint.note.decode(),
            "decisions": {place: sorted(indices) for place, indices in both.places.items()},
        }
        if both != there or not _file(memory).exists():
            memory.write(_file(memory), readable_json(document))


def _file(memory: Memory) -> Path:
    return memory.directory / "decisions.json"


def _place(name: str, environment: str) -> str:
    return sha256(f"{environment}\n{name}".encode()).hexdigest()[:32]
