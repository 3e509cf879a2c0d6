"""Server-sent events with the ids and pauses that resuming a stream needs."""

from collections.abc import Iterator
from typing import NamedTuple

from avow.errors import PeerProtocolError


class ServerEvent(NamedTuple):
    """One event; `data` is empty where a server only announces an id. Both texts fit on one line."""

    data: bytes
    id: bytes = b""
    retry: bytes = b""

    @property
    def head(self) -> bytes:
        """The lines that a client needs before the data, to resume where it was."""
        return (b"id: " + self.id + b"\n" if self.id else b"") + (
            b"retry: " + self.retry + b"\n" if self.retry else b""
        )


class EventParser:
    """Turns the pieces of a stream into events, none larger than allowed."""

    def __init__(self, limit: int) -> None:
        """Refuse events of more than `limit` bytes."""
        self._limit = limit
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._data: bytes | bytearray | None = None
        self._size = 0
        self._id = b""
        self._retry = b""
        self._is_message = True
        self._ends_in_return = False

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """The events that this piece completes.

        Raises:
            PeerProtocolError: an event is too large.
        """
        # A line ends with a line feed, a carriage return, or both; the pair may be split between pieces.
        if self._ends_in_return and piece.startswith(b"\n"):
            piece = piece[1:]
        if not piece:
            return
        self._ends_in_return = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = piece.split(b"\n")
        for line in lines:
            if self._rest:
                self._rest.append(line)
                line = b"".join(self._rest)
                self._rest.clear()
                self._rest_size = 0
            event = self._take(line)
            if event is not None:
                yield event
        if rest:
            self._rest.append(rest)
            self._rest_size += len(rest)
        if self._size + self._rest_size > self._limit:
            raise PeerProtocolError(f"an event has more than {self._limit} bytes")

    def _take(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._add(value)
                self._size += len(line) + 1
            case b"event":
                self._is_message = value in (b"", b"message")
            case b"id" if b"\0" not in value:
                self._id = value
            case b"retry" if value.isdigit():
                self._retry = value
            case _:
                pass
        return None

    def _add(self, value: bytes) -> None:
        """One more line of data; millions of tiny ones cost no more than what they hold."""
        if self._data is None:
            self._data = value
            return
        if isinstance(self._data, bytes):
            self._data = bytearray(self._data)
        # A message is one JSON document: line breaks between its tokens mean nothing.
        self._data += b" " + value

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(bytes(self._data or b""), self._id, self._retry)
        wanted = self._is_message and (event.data or event.id or event.retry)
        self._data, self._size, self._id, self._retry, self._is_message = None, 0, b"", b"", True
        return event if wanted else None
