"""Payloads made whole from what is stored of them, to the byte.

What is stored of a definition are its canonical bytes, which stand in a payload as they are: nothing of them
has to be understood. That the whole is what was signed is seen by its digest.
"""

import zlib
from collections.abc import Mapping
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
_COMPONENTS: Final = ("inputSchema", "outputSchema", "annotations")
_Stored = Mapping[tuple[Kind, Digest], Stored]

_members_of: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_text_of: Final = msgspec.json.Decoder(JsonValue).decode


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
    computed = {} if "components" in entry else {"components": _components(definition)}
    return _object({"risk": known.rating, **entry, **computed}, {"definition": definition})


def _components(definition: bytes) -> dict[str, str]:
    """As `Capability.components`, of canonical bytes: the parts of those are canonical too."""
    members = _members_of(definition)
    description = _text_of(members["description"]) if "description" in members else ""
    text = description if isinstance(description, str) else ""
    return {
        "description": digest_of(text.encode()),
        **{name: _digest(members[name]) for name in _COMPONENTS if name in members},
    }


def _digest(part: msgspec.Raw) -> str:
    return "sha256:" + sha256(part).hexdigest()


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
