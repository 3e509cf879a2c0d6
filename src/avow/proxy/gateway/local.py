"""A session of a client up to 2025-11-25 with a stdio server: a process of its own, and events to resume."""

import asyncio
from collections import deque
from typing import Final

from avow.protocol.gate import Gate
from avow.protocol.messages import RequestId
from avow.proxy.gateway.conversation import Conversation, Log
from avow.proxy.gateway.envelopes import Envelope, tokens
from avow.proxy.gateway.process import ServerProcess
from avow.proxy.gateway.replay import STANDALONE, Replay
from avow.proxy.gateway.stream import Header, Piece, Stream

# News that belong to no request, whichever is under way when they come.
_UNRELATED: Final = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    }
)
_UNHEARD: Final = 64
_UNHEARD_BYTES: Final = 256 * 1024


class LocalSession(Conversation):
    """A stdio server says everything on one pipe: what belongs to which request has to be worked out.

    Answers go by their id and progress by its token. What a server asks or reports while it works on a
    request goes with the newest request; news about lists go to the stream that belongs to no request, as
    does everything while no request is under way.
    """

    def __init__(self, gate: Gate, log: Log, process: ServerProcess) -> None:
        """Put the gate in front of a process that was just started."""
        super().__init__(gate, log)
        self.process = process
        self._replay = Replay()
        self._standalone: Stream | None = None
        self._unheard: deque[Piece] = deque(maxlen=_UNHEARD)
        process.on_line = self._heard
        process.on_end = self.lose

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for something."""
        return bool(self._streams) or (self._standalone is not None and not self._standalone.left)

    def listen(self, event_id: str, _headers: tuple[Header, ...]) -> Stream | None:
        """The stream of an event from there on, or that of no request; `None` when somebody has that one."""
        found = self._replay.after(event_id) if event_id else None
        if found is not None:
            return self._resume(*found)
        if self._standalone is not None and not self._standalone.left:
            return None
        self._standalone = stream = Stream()
        while self._unheard:
            stream.put(*self._unheard.popleft())
        return stream

    async def close(self) -> None:
        """End the session and its process."""
        self.dismiss("the session was ended")
        await self.process.end()

    def room(self) -> asyncio.Event:
        """Set while the server keeps up."""
        return self.process.room

    def _resume(self, number: int, missed: list[Piece]) -> Stream:
        stream = self._taken_over(number)
        for piece in missed:
            stream.put(*piece)
        if number != STANDALONE and not stream.waiting:
            stream.end()
        return stream

    def prime(self, stream: Stream) -> bytes:
        """Lines with an id to resume from, for a stream that has had no event yet."""
        self._number(stream)
        return self._replay.record(stream.number, b"")

    def end(self) -> None:
        """No more is said, on any stream."""
        super().end()
        if self._standalone is not None:
            self._standalone.end()

    def _heard(self, line: bytes) -> None:
        self.receive(line, None)

    def _forward(self, line: bytes, _outside: Envelope, _origin: Stream | None) -> None:
        self.process.send(line)

    def _answer(self, stream: Stream, request_id: RequestId | None, line: bytes, head: bytes) -> None:
        if stream.number:
            head = self._replay.record(stream.number, line)
        stream.answer(request_id, line, head)
        self._mind(stream)

    def _tell(self, line: bytes, outside: Envelope, _origin: Stream | None, _head: bytes) -> None:
        stream = self._place(line, outside)
        if stream is None:
            self._leave_unheard(Piece(line, self._replay.record(STANDALONE, line)))
            return
        if stream is not self._standalone:
            self._number(stream)
        stream.put(line, self._replay.record(stream.number, line))
        self._mind(stream)

    def _place(self, line: bytes, outside: Envelope) -> Stream | None:
        standalone = self._standalone if self._standalone is not None and not self._standalone.left else None
        if outside.method in _UNRELATED and standalone is not None:
            return standalone
        if outside.method == "notifications/progress" and (token := tokens(line).progress):
            for stream in self._streams.values():
                if stream.token == token:
                    return stream
        newest = next((each for each in reversed(self._streams.values()) if not each.left), None)
        return newest or standalone or next(reversed(self._streams.values()), None)

    def _number(self, stream: Stream) -> None:
        if not stream.number:
            stream.number = self._replay.new_stream()

    def _mind(self, stream: Stream) -> None:
        """Stop reading a server whose client does not keep up."""
        if stream.is_full:
            self.process.pause()
            stream.call_when_drained(self.process.resume)

    def _leave_unheard(self, piece: Piece) -> None:
        if len(piece.line) + sum(len(kept.line) for kept in self._unheard) <= _UNHEARD_BYTES:
            self._unheard.append(piece)

    def _taken_over(self, number: int) -> Stream:
        """A stream in the place of one whose connection broke."""
        old = self._standalone if number == STANDALONE else self._find(number)
        stream = Stream(old.waiting if old is not None else ())
        stream.number = number
        if old is not None:
            stream.token = old.token
            old.leave()
        for request_id in stream.waiting:
            self._streams[request_id] = stream
        if number == STANDALONE:
            self._standalone = stream
            self._unheard.clear()
        return stream

    def _find(self, number: int) -> Stream | None:
        return next((stream for stream in self._streams.values() if stream.number == number), None)
