"""Payloads without the definitions in them, which are stored once for all who share them.

What can be computed from a definition is left out as well. A payload that was not written in canonical JSON
could not be made whole to the byte, and is kept as it is.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import (
    MAX_FILE_DEPTH,
    Digest,
    JsonObject,
    canonical,
    digest_of,
    parse_json,
)
from avow.core.capability import Capability, Kind
from avow.core.publication import Publication
from avow.core.risk import Level, Risk
from avow.errors import MalformedInputError, StorageError

_WHOLE: Final = b"w"
_PARTS: Final = b"p"
_LEVEL: Final = 1
_SMALLEST_WINDOW: Final = 10
_LEAST_MEMORY: Final = 4
_PARTS_WITH_DIGESTS: Final = frozenset({"inputSchema", "outputSchema", "annotations"})


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store has of a capability."""

    definition: bytes
    risk: Level
    reasons: str

    @property
    def rating(self) -> JsonObject:
        """The risk as snapshots write it."""
        return {"level": str(self.risk), "reasons": json.loads(self.reasons)}


def read_stored(kind: Kind, digest: Digest, definition: bytes) -> Capability:
    """A capability from its compressed definition.

    Raises:
        StorageError: the definition is not the one with this digest: it was changed, or is damaged.
    """
    try:
        capability = Capability.read(kind, parse_json(zlib.decompress(definition)))
    except (zlib.error, MalformedInputError):
        capability = None
    if capability is None or capability.digest != digest:
        raise StorageError(f"the stored definition of {digest} is damaged", hint="restore a backup")
    return capability


def squeeze(data: bytes) -> bytes:
    """Data for a column, smaller."""
    # A window that the data just fits: to set up the usual one takes longer than to compress a definition.
    window = min(max(len(data).bit_length() + 1, _SMALLEST_WINDOW), zlib.MAX_WBITS)
    memory = min(window - _SMALLEST_WINDOW + _LEAST_MEMORY, zlib.DEF_MEM_LEVEL)
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, window, memory)
    return packer.compress(data) + packer.flush()


def restored(data: bytes) -> bytes:
    """The inverse of `squeeze`.

    Raises:
        StorageError: it is damaged.
    """
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise StorageError("what is stored is damaged", hint="restore a backup") from error


def pack(publication: Publication, payload: bytes, ratings: Mapping[tuple[Kind, Digest], Risk]) -> bytes:
    """The body to store for a payload."""
    if digest_of(payload) != publication.content:
        return _WHOLE + squeeze(payload)
    snapshot = dict(publication.document["snapshot"])
    for kind in Kind:
        signature = publication.snapshot.signature.of_kind(kind)
        snapshot[kind.collection] = [
            _reduced(entry, signature[entry["name"]], ratings[kind, entry["digest"]])
            for entry in snapshot[kind.collection]
        ]
    return _PARTS + squeeze(canonical({**publication.document, "snapshot": snapshot}))


def _reduced(entry: JsonObject, capability: Capability, risk: Risk) -> JsonObject:
    kept = {member: value for member, value in entry.items() if member != "definition"}
    if entry["risk"] == {"level": str(risk.level), "reasons": list(risk.reasons)}:
        del kept["risk"]
    # Their digests were compared when the snapshot was read; what is left is whether there are others.
    if entry["components"].keys() == _components(capability.definition):
        del kept["components"]
    return kept


def _components(definition: JsonObject) -> set[str]:
    return {"description", *(definition.keys() & _PARTS_WITH_DIGESTS)}


def outline(body: bytes) -> JsonObject:
    """The document in a body; where it is in parts, without what the capabilities hold.

    Raises:
        StorageError: it is damaged.
    """
    try:
        document: JsonObject = parse_json(zlib.decompress(body[1:]), max_depth=MAX_FILE_DEPTH)
    except (zlib.error, MalformedInputError) as error:
        raise StorageError("a stored publication is damaged", hint="restore a backup") from error
    return document
