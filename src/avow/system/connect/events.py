"""Server-sent events, as far as MCP uses them: the data of each event, and nothing larger than allowed."""

from collections.abc import AsyncIterator

from avow.errors import PeerProtocolError


class EventReader:
    """Turns pieces of a stream into the data of whole events."""

    def __init__(self, limit: int) -> None:
        """Refuse events of more than `limit` bytes."""
        self._limit = limit
        self._rest = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._is_message = True
        self._ends_in_return = False

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes.

        Raises:
            PeerProtocolError: an event is too large.
        """
        # A line ends with a line feed, a carriage return, or both; the pair may be split between pieces.
        if self._ends_in_return and piece.startswith(b"\n"):
            piece = piece[1:]
        self._ends_in_return = piece.endswith(b"\r")
        *lines, rest = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        events = []
        if lines:
            lines[0] = bytes(self._rest) + lines[0]
            self._rest.clear()
        self._rest += rest
        for line in lines:
            event = self._take(line)
            if event:
                events.append(event)
        if self._size + len(self._rest) > self._limit:
            raise PeerProtocolError(f"an event has more than {self._limit // (1024 * 1024)} MiB")
        return events

    def _take(self, line: bytes) -> bytes:
        if not line:
            event = b"\n".join(self._data) if self._is_message else b""
            self._data, self._size, self._is_message = [], 0, True
            return event
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
        elif name == b"event":
            self._is_message = value in (b"", b"message")
        return b""


async def bounded(pieces: AsyncIterator[bytes], limit: int) -> bytes:
    """The whole of a body.

    Raises:
        PeerProtocolError: it is too large.
    """
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > limit:
            raise PeerProtocolError(f"the answer has more than {limit // (1024 * 1024)} MiB")
    return bytes(body)
