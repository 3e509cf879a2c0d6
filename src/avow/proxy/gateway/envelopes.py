"""What routing needs to know of a message that the gate has judged: its id, its method, its tokens."""

from typing import Final, NamedTuple

import msgspec

from avow.errors import MalformedInputError
from avow.protocol.messages import RequestId, encode, join, members

PROGRESS_TOKEN: Final = "progressToken"  # noqa: S105 - no secret: the name of a member
SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"


class Envelope(msgspec.Struct):
    """The outside of one message."""

    id: int | str | None = None
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


_decode: Final = msgspec.json.Decoder(Envelope).decode


def envelope(line: bytes) -> Envelope:
    """The outside of a message; one of an unusable id or method counts as having none."""
    try:
        return _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Envelope()


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

    Everything else keeps its bytes. What is not there is not added.

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
