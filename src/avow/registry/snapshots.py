"""Snapshots from payloads that the store has just vouched for: no digest is computed a second time.

Every digest in them was computed when they were published, and the store has seen that these are the bytes
which were signed. Any other payload is for `core.publication`.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import msgspec

from avow.core.canonical import Digest, JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.core.documents import read_snapshot_document
from avow.core.snapshot import Snapshot, Volatile

_NOTHING: Final = Signature().digest


class Entry(msgspec.Struct):
    """A capability whose definition is still the bytes that were signed."""

    name: str
    digest: Digest
    definition: msgspec.Raw

    def read(self) -> JsonObject:
        """The definition."""
        found: JsonObject = _read(self.definition)
        return found

    def member(self, name: str) -> Any:
        """One member of the definition; None where there is none."""
        found = _members(self.definition).get(name)
        return None if found is None else _read(found)


class _Publication(msgspec.Struct):
    snapshot: dict[str, msgspec.Raw]


_read: Final = msgspec.json.Decoder().decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_publication: Final = msgspec.json.Decoder(_Publication).decode
_entries: Final = msgspec.json.Decoder(list[Entry]).decode


def stored_snapshot(payload: bytes) -> Snapshot:
    """The snapshot in a payload of `Store.payload` or `Store.contents`."""
    snapshot, entries = stored_outline(payload)
    found = (Capability(kind, each.name, each.read(), each.digest) for kind, each in entries)
    return replace(snapshot, signature=Signature.of(found))


def stored_pair(before: bytes, after: bytes) -> tuple[Snapshot, Snapshot]:
    """The snapshots in two payloads; what both offer is read once."""
    known: dict[tuple[Kind, str, Digest], Capability] = {}
    pair = []
    for snapshot, entries in map(stored_outline, (before, after)):
        found = []
        for kind, each in entries:
            key = (kind, each.name, each.digest)
            if key not in known:
                known[key] = Capability(kind, each.name, each.read(), each.digest)
            found.append(known[key])
        pair.append(replace(snapshot, signature=Signature.of(found)))
    return pair[0], pair[1]


def stored_outline(payload: bytes) -> tuple[Snapshot, Iterator[tuple[Kind, Entry]]]:
    """The same without what it offers, and that beside it, still to be read."""
    parts = _publication(payload).snapshot
    lists = {kind: _entries(parts.pop(kind.collection)) for kind in Kind}
    document = {name: _read(value) for name, value in parts.items()}
    shapes = document.pop("volatileShapes", {})
    volatile = tuple(Volatile(pointer, shapes[pointer]) for pointer in document.pop("volatile", ()))
    outline = {**document, **{kind.collection: [] for kind in Kind}, "digest": _NOTHING}
    snapshot = replace(read_snapshot_document(outline), volatile=volatile)
    return snapshot, ((kind, each) for kind, entries in lists.items() for each in entries)
