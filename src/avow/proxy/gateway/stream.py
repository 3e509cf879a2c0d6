"""What one HTTP request of a client is answered with, as it becomes known."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from avow.protocol.messages import RequestId

HIGH_MARK: Final = 1024 * 1024

Header = tuple[bytes, bytes]


class Piece(NamedTuple):
    """One message for a client; `head` are the lines of an event that come before its data."""

    line: bytes
    head: bytes = b""


class Stream:
    """A queue of messages with one reader, the HTTP request, and any number of writers, none of which waits.

    `waiting` are the ids that the client wants answered here: the stream is over when all are. `left` says
    that the client went away, `as_events` that the server chose events. `number` tells the streams of a
    session apart once events may be resumed.
    """

    def __init__(self, waiting: Iterable[RequestId] = (), headers: tuple[Header, ...] = ()) -> None:
        """Nothing to say yet; `headers` are those of the client's that go with what it asked."""
        self.waiting = set(waiting)
        self.headers = headers
        self.token = b""
        self.status = 0
        self.number = 0
        self.as_events = False
        self.over = False
        self.left = False
        self.size = 0
        self.exchanges = 0
        self.reply_headers: tuple[Header, ...] = ()
        self.opening: asyncio.Future[int] | None = None
        self.pieces: deque[Piece] = deque()
        self.when_left: Callable[[], None] | None = None
        self.when_done: Callable[[], None] | None = None
        self._waker: asyncio.Future[None] | None = None
        self._when_drained: list[Callable[[], None]] = []

    @property
    def is_ready(self) -> bool:
        """Whether the reader has something to do."""
        return bool(self.pieces) or self.over or self.left

    @property
    def is_full(self) -> bool:
        """Whether the reader does not keep up."""
        return self.size > HIGH_MARK and not self.left

    def put(self, line: bytes, head: bytes = b"") -> None:
        """One more message."""
        if self.left or self.over:
            return
        self.pieces.append(Piece(line, head))
        self.size += len(line)
        self._wake()

    def answer(self, request_id: RequestId | None, line: bytes, head: bytes = b"") -> None:
        """The answer to one of the requests; after the last one the stream is over."""
        self.put(line, head)
        self.waiting.discard(request_id)
        if not self.waiting or request_id is None:
            self.end()

    def end(self) -> None:
        """Nothing more will come."""
        self.over = True
        self._wake()
        self._done()

    def leave(self) -> None:
        """The client is gone, or wants no more."""
        if self.left:
            return
        self.left = True
        self._wake()
        if self.when_left is not None:
            self.when_left()
        self._drained()
        self._done()

    def take(self) -> list[Piece]:
        """Everything that waits."""
        pieces = list(self.pieces)
        self.pieces.clear()
        self.size = 0
        self._drained()
        return pieces

    def call_when_drained(self, callback: Callable[[], None]) -> None:
        """Call back once the reader has caught up."""
        self._when_drained.append(callback)

    async def wait(self, seconds: float) -> bool:
        """Wait until there is something to do, but not for longer than this."""
        if self.is_ready:
            return True
        loop = asyncio.get_running_loop()
        self._waker = waker = loop.create_future()
        timer = loop.call_later(seconds, _set, waker)
        try:
            await waker
        finally:
            timer.cancel()
            self._waker = None
        return self.is_ready

    def _wake(self) -> None:
        if self._waker is not None:
            _set(self._waker)

    def _done(self) -> None:
        done, self.when_done = self.when_done, None
        if done is not None:
            done()

    def _drained(self) -> None:
        callbacks, self._when_drained = self._when_drained, []
        for callback in callbacks:
            callback()


def _set(waker: "asyncio.Future[None]") -> None:
    if not waker.done():
        waker.set_result(None)
