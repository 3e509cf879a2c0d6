"""Payloads made whole from what is stored of them, to the byte.

What is stored of a definition are its canonical bytes, which stand in a payload as they are: nothing of them
has to be understood. That the whole is what was signed is seen by its digest.
"""

import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Final

import msgspec

from avow.core.canonical import (
    MAX_FILE_DEPTH,
    Digest,
    JsonObject,
    JsonValue,
    canonical,
    digest_of,
    parse_json,
)
from avow.core.capability import Kind
from avow.errors import MalformedInputError, StorageError
from avow.registry.store.packing import Stored, outline

_WHOLE: Final = b"w"
_REDUCED: Final = {"digest", "name"}
_COMPONENTS: Final = ("inputSchema", "outputSchema", "annotations")
_Stored = Mapping[tuple[Kind, Digest], Stored]

_members_of: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_value_of: Final = msgspec.json.Decoder(JsonValue).decode


def payload_of(body: bytes, content: str, stored: _Stored) -> bytes:
    """The payload as it was signed.

    Raises:
        StorageError: what is stored does not make up what was signed: it was changed or is damaged.
    """
    try:
        if body[:1] == _WHOLE:
            payload = zlib.decompress(body[1:])
            # A payload in another notation than ours has a content digest of its own: that of its document.
            is_intact = digest_of(canonical(parse_json(payload, max_depth=MAX_FILE_DEPTH))) == content
        else:
            payload = _joined(outline(body), stored)
            is_intact = digest_of(payload) == content
    except (KeyError, TypeError, ValueError, AttributeError, zlib.error, MalformedInputError) as error:
        raise _damaged(content) from error
    if not is_intact:
        raise _damaged(content)
    return payload


def _joined(document: JsonObject, stored: _Stored) -> bytes:
    snapshot = document.pop("snapshot")
    lists = {
        kind.collection: b"[%b]"
        % b",".join(_whole(kind, entry, stored) for entry in snapshot.pop(kind.collection))
        for kind in Kind
    }
    return _object(document, {"snapshot": _object(snapshot, lists)})


def _whole(kind: Kind, entry: JsonObject, stored: _Stored) -> bytes:
    known = stored[kind, entry["digest"]]
    definition = zlib.decompress(known.definition)
    if entry.keys() != _REDUCED:
        computed = {} if "components" in entry else {"components": _components(definition)}
        written = {"risk": known.rating, **entry}
        return _object(written, {"definition": definition, **computed})
    # Nearly all of them: nothing that has to be put in order.
    return b'{"components":%b,"definition":%b,"digest":"%b","name":%b,"risk":%b}' % (
        _components(definition),
        definition,
        entry["digest"].encode(),
        canonical(entry["name"]),
        _rating(known),
    )


def _components(definition: bytes) -> bytes:
    """As `Capability.components`, of canonical bytes: the parts of those are canonical too."""
    members = _members_of(definition)
    description = _value_of(members["description"]) if "description" in members else ""
    parts: dict[str, bytes | msgspec.Raw] = {name: members[name] for name in _COMPONENTS if name in members}
    parts["description"] = description.encode() if isinstance(description, str) else b""
    written = (f'"{name}":"sha256:{sha256(parts[name]).hexdigest()}"' for name in sorted(parts))
    return f"{{{','.join(written)}}}".encode()


@lru_cache(maxsize=1_000)
def _reasons(text: str) -> bytes:
    """The reasons of a rating as a payload has them; there are few that differ."""
    return canonical(json.loads(text))


def _rating(known: Stored) -> bytes:
    return b'{"level":"%b","reasons":%b}' % (str(known.risk).encode(), _reasons(known.reasons))


def _object(members: JsonObject, ready: Mapping[str, bytes]) -> bytes:
    """The canonical bytes of an object some of whose members are written already."""
    written = {**{name: canonical(value) for name, value in members.items()}, **ready}
    names = sorted(written, key=lambda name: name.encode("utf-16-be"))
    return b"{%b}" % b",".join(b"%b:%b" % (canonical(name), written[name]) for name in names)


def _damaged(content: str) -> StorageError:
    return StorageError(
        f"what is stored of {content} is not what was signed: it was changed, or is damaged",
        hint="restore a backup, and compare it with the log",
    )
