"""What routing needs to know of a message that the gate has judged: its id, its method, its tokens."""

import re
from typing import Annotated, Final, NamedTuple

import msgspec

from avow.errors import MalformedInputError
from avow.protocol.gate.stateless import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from avow.protocol.messages import (
    MAX_ID_LENGTH,
    SAFE_INTEGER,
    UNREADABLE,
    Form,
    RequestId,
    UnreadableMessageError,
    elements,
    encode,
    join,
    members,
    read,
)
from avow.protocol.versions import KNOWN

PROGRESS_TOKEN: Final = "progressToken"  # noqa: S105 - no secret: the name of a member
SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"


# What the gate takes for an id, and nothing else: it would never answer another.
_Number = Annotated[int, msgspec.Meta(ge=-SAFE_INTEGER, le=SAFE_INTEGER)]
_Name = Annotated[str, msgspec.Meta(max_length=MAX_ID_LENGTH)]


class Envelope(msgspec.Struct):
    """The outside of one message."""

    id: _Number | _Name | None = None
    method: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether the message answers a request."""
        return not self.method


class Tokens(NamedTuple):
    """What ties a message to a request other than an id; raw JSON, empty where it is absent."""

    progress: bytes = b""
    subscription: bytes = b""
    request: bytes = b""


class _Meta(msgspec.Struct):
    version: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name=VERSION_KEY)
    client: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name=CLIENT_KEY)
    capabilities: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name=CAPABILITIES_KEY)


class _Params(msgspec.Struct):
    meta: _Meta = msgspec.field(default_factory=_Meta, name="_meta")


class _Claiming(msgspec.Struct):
    params: _Params = msgspec.field(default_factory=_Params)


class _Result(msgspec.Struct):
    version: str = msgspec.field(default="", name="protocolVersion")


class _Agreed(msgspec.Struct):
    result: _Result = msgspec.field(default_factory=_Result)


_begins_with_id: Final = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?[0-9]{1,15}|"[^"\\]{0,256}")\s*,'
).match

_decode: Final = msgspec.json.Decoder(Envelope).decode
_decode_agreed: Final = msgspec.json.Decoder(_Agreed).decode
_decode_claims: Final = msgspec.json.Decoder(_Claiming).decode


def envelope(line: bytes) -> Envelope:
    """The outside of a message; one of an unusable id or method counts as having none."""
    try:
        return _decode(line)
    except UNREADABLE:
        return Envelope()


def unread_id(line: bytes) -> RequestId | None:
    """The id with which a line begins that cannot be read, such as an answer that is too deep."""
    if envelope(line) != Envelope():
        return None
    found = _begins_with_id(line)
    return envelope(b'{"id":%b}' % found[1]).id if found else None


def is_notification(line: bytes) -> bool:
    """Whether a message is one that nobody answers."""
    try:
        return read(line).form is Form.NOTIFICATION
    except UnreadableMessageError:
        return False


def request_ids(line: bytes) -> list[RequestId]:
    """The ids that a message of a client wants answered: one, none, or those of a batch."""
    parts: tuple[bytes, ...] = (line,)
    if line[:1] == b"[":
        try:
            parts = elements(line)
        except MalformedInputError:
            return []
    outsides = map(envelope, parts)
    return [outside.id for outside in outsides if outside.method and outside.id is not None]


def claims(line: bytes) -> bytes:
    """What a request of 2026-07-28 says about its client, to tell clients apart; empty for any other."""
    try:
        meta = _decode_claims(line).params.meta
    except UNREADABLE:
        return b""
    return b"\0".join((meta.version, meta.client, meta.capabilities)) if meta.version else b""


def agreed_version(line: bytes) -> bytes:
    """The version in an answer to `initialize`; empty in any other answer."""
    try:
        version = _decode_agreed(line).result.version
    except UNREADABLE:
        return b""
    return version.encode() if version in KNOWN else b""


def asked_progress(line: bytes) -> bytes:
    """The token with which a request asks for news of its progress."""
    if b"progressToken" not in line:
        return b""
    return _inside(line, "params", "_meta").get(PROGRESS_TOKEN, b"")


def tokens(line: bytes) -> Tokens:
    """What a server's notification refers to."""
    params = _inside(line, "params")
    meta = _inside(params["_meta"]) if "_meta" in params else {}
    return Tokens(params.get(PROGRESS_TOKEN, b""), meta.get(SUBSCRIPTION, b""), params.get("requestId", b""))


def replaced(line: bytes, path: tuple[str, ...], value: bytes) -> bytes:
    """The object with one member, found along `path`, put in the place of what was there.

    Every other value keeps its bytes. What is not there is not added.

    Raises:
        MalformedInputError: it is no object, or has a member twice.
    """
    parts = members(line)
    first, *rest = path
    if first in parts:
        parts[first] = replaced(parts[first], tuple(rest), value) if rest else value
    return join(parts)


def raw(request_id: RequestId) -> bytes:
    """An id as JSON."""
    return encode(request_id)


def _inside(line: bytes, *path: str) -> dict[str, bytes]:
    try:
        parts = members(line)
        for name in path:
            if name not in parts:
                return {}
            parts = members(parts[name])
    except MalformedInputError:
        return {}
    return parts
