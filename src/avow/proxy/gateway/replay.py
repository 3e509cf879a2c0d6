"""The events that a client may ask for again after its connection broke, as far back as memory allows."""

from collections import deque
from typing import Final, NamedTuple

from avow.proxy.gateway.stream import Piece

STANDALONE: Final = 0
"""The number of the stream that belongs to no request."""

_EVENTS: Final = 512
_BYTES: Final = 2 * 1024 * 1024


class _Kept(NamedTuple):
    stream: int
    place: int
    line: bytes


class Replay:
    """The last events of one session; an event's id is its stream's number and its place there."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._kept: deque[_Kept] = deque()
        self._size = 0
        self._streams = STANDALONE
        self._count = 0

    def new_stream(self) -> int:
        """A number that no other stream of the session has."""
        self._streams += 1
        return self._streams

    def record(self, stream: int, line: bytes) -> bytes:
        """Keep an event, and return the lines that announce its id."""
        self._count += 1
        self._kept.append(_Kept(stream, self._count, line))
        self._size += len(line)
        while self._size > _BYTES or len(self._kept) > _EVENTS:
            self._size -= len(self._kept.popleft().line)
        return _head(stream, self._count)

    def after(self, event_id: str) -> tuple[int, list[Piece]] | None:
        """The stream of an event and what came after it there; `None` for an id that we never gave."""
        stream, _, place = event_id.partition("-")
        if not (_is_number(stream) and _is_number(place)):
            return None
        if int(stream) > self._streams or int(place) > self._count:
            return None
        missed = [kept for kept in self._kept if kept.stream == int(stream) and kept.place > int(place)]
        return int(stream), [Piece(kept.line, _head(kept.stream, kept.place)) for kept in missed]


def _head(stream: int, place: int) -> bytes:
    return b"id: %d-%d\n" % (stream, place)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
