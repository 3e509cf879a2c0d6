"""Snapshots from payloads that the store has just vouched for: no digest is computed a second time."""

from dataclasses import replace
from typing import Final

import msgspec

from avow.core.capability import Capability, Kind, Signature
from avow.core.documents import read_snapshot_document
from avow.core.snapshot import Snapshot, Volatile

_read: Final = msgspec.json.Decoder().decode
_NOTHING: Final = Signature().digest


def stored_snapshot(payload: bytes) -> Snapshot:
    """The snapshot in a payload of `Store.payload` or `Store.contents`, and in no other.

    Every digest in it was computed when it was published, and the store has seen that these are the bytes
    which were signed.
    """
    document = _read(payload)["snapshot"]
    capabilities = [
        Capability(kind, entry["name"], entry["definition"], entry["digest"])
        for kind in Kind
        for entry in document[kind.collection]
    ]
    shapes = document.pop("volatileShapes", {})
    volatile = tuple(Volatile(pointer, shapes[pointer]) for pointer in document.pop("volatile", ()))
    outline = {**document, **{kind.collection: [] for kind in Kind}, "digest": _NOTHING}
    snapshot = read_snapshot_document(outline)
    return replace(snapshot, signature=Signature.of(capabilities), volatile=volatile)
