"""A gate, and where the messages that pass it go: to the server, or to the stream that waits for them.

How the server is reached, and how one tells which request a message of the server belongs to, differs:
each way is a class of its own in another module.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Final

from avow.core.severity import Severity
from avow.protocol.events import Event
from avow.protocol.gate import Decision, Gate, HeaderFacts
from avow.protocol.messages import INVALID_REQUEST, RequestId, error_response, read_batch
from avow.proxy.gateway.envelopes import (
    Envelope,
    asked_progress,
    envelope,
    raw,
    request_ids,
    tokens,
    unread_id,
)
from avow.proxy.gateway.stream import Header, Stream

QUESTION_SECONDS: Final = 30.0
UNAVAILABLE: Final = -32000
REQUEST_CANCELLED: Final = -32800

_CANCELLED: Final = "notifications/cancelled"

Log = Callable[[Iterable[Event]], None]


class Conversation(ABC):
    """What one client and one server say to each other."""

    def __init__(self, gate: Gate, log: Log) -> None:
        """Nothing has been said."""
        self.gate = gate
        self.ended = False
        self._log = log
        self._streams: dict[RequestId, Stream] = {}
        self._asking_since = 0.0

    def take(self, line: bytes, facts: HeaderFacts | None, headers: tuple[Header, ...] = ()) -> Stream:
        """A message of the client: what it is answered with comes on the stream."""
        ids = request_ids(line)
        stream = Stream(ids, headers)
        for request_id in ids:
            if request_id in self._streams:
                stream.answer(
                    None,
                    error_response(request_id, INVALID_REQUEST, "avow: the id belongs to another request"),
                )
                return stream
        for request_id in ids:
            self._streams[request_id] = stream
        stream.token = asked_progress(line) if ids else b""
        self.carry_out(self.gate.from_client(line, facts), stream)
        if not stream.waiting and not stream.exchanges:
            stream.end()
        return stream

    def receive(self, line: bytes, origin: Stream | None, head: bytes = b"") -> None:
        """A message of the server, which came in answer to what `origin` asked if that is known."""
        if self.ended:
            return
        try:
            decision = self.gate.from_server(line)
            self.carry_out(decision, origin, head)
        except Exception as exc:  # noqa: BLE001 - whatever it is, whoever waits is told and nothing passes
            self.lose(f"a message of the server could not be dealt with ({type(exc).__name__})")
            return
        if decision.events and not decision.to_client and (lost := unread_id(line)) is not None:
            self.fail(lost, "the server's answer cannot be read", origin)

    def fail(self, request_id: RequestId | None, reason: str, origin: Stream | None) -> None:
        """The server will not answer a request: whoever asked is told, the gate itself if need be."""
        if request_id is not None and not self.ended:
            error = error_response(request_id, UNAVAILABLE, f"avow: {reason}")
            self.carry_out(self.gate.from_server(error), origin)

    def lose(self, reason: str) -> None:
        """The server is gone: whoever waits is told, and the conversation is over."""
        if not self.ended:
            self._log([failure(reason)])
            self.dismiss(reason)

    def dismiss(self, reason: str) -> None:
        """The server is not needed any more; whoever still waits is told."""
        if not self.ended:
            try:
                for line in self.gate.server_gone(reason).to_client:
                    self._deliver(line, None, b"")
            finally:
                self.end()

    def end(self) -> None:
        """No more is said."""
        self.ended = True
        for stream in set(self._streams.values()):
            stream.end()
        self._streams.clear()

    def tick(self, now: float) -> None:
        """A server that does not answer the gate's own questions must not hold its client for ever."""
        if not self.gate.is_asking:
            self._asking_since = 0.0
        elif not self._asking_since:
            self._asking_since = now
        elif now - self._asking_since > QUESTION_SECONDS:
            self._asking_since = 0.0
            self.carry_out(self.gate.abandon("the server did not say in time what it offers"), None)

    def carry_out(self, decision: Decision, origin: Stream | None, head: bytes = b"") -> None:
        """Deliver everything that a gate has decided, in order."""
        if decision.events:
            self._log(decision.events)
        for line in decision.to_server:
            outside = envelope(line)
            asked = self._streams.get(outside.id) if outside.id is not None and outside.method else None
            self._forward(line, outside, asked or origin)
            if outside.method == _CANCELLED:
                self._cancelled(line)
        for line in decision.to_client:
            self._deliver(line, origin, head)
        if decision.close:
            self.end()

    def _cancelled(self, line: bytes) -> None:
        """The server owes a cancelled request no answer, but HTTP does."""
        wanted = tokens(line).request
        for request_id in list(self._streams):
            if raw(request_id) == wanted:
                answer = error_response(request_id, REQUEST_CANCELLED, "avow: the request was cancelled")
                self._answer(self._streams.pop(request_id), request_id, answer, b"")

    def _deliver(self, line: bytes, origin: Stream | None, head: bytes) -> None:
        if line[:1] == b"[":
            for part in read_batch(line):
                self._deliver(part, origin, head)
            return
        outside = envelope(line)
        if outside.is_answer:
            asked = self._streams.pop(outside.id, None) if outside.id is not None else None
            # Whoever asked may have gone and come back on another stream.
            is_gone = asked is None or asked.over or asked.left
            stream = origin if is_gone and origin is not None else asked
            if stream is not None:
                self._answer(stream, outside.id, line, head)
                if outside.id is None:
                    self._forget(stream)
        else:
            self._tell(line, outside, origin, head)

    def _forget(self, stream: Stream) -> None:
        """An answer without an id is for everything that was asked at once: nothing else will come."""
        for request_id in stream.waiting:
            if self._streams.get(request_id) is stream:
                del self._streams[request_id]

    def _answer(self, stream: Stream, request_id: RequestId | None, line: bytes, head: bytes) -> None:
        stream.answer(request_id, line, head)

    @abstractmethod
    def _forward(self, line: bytes, outside: Envelope, origin: Stream | None) -> None:
        """Send a message to the server, on behalf of what `origin` asked."""

    @abstractmethod
    def _tell(self, line: bytes, outside: Envelope, origin: Stream | None, head: bytes) -> None:
        """Bring a request or notification of the server to the client."""


class Idle:
    """When somebody last had to do with something."""

    def __init__(self) -> None:
        """Just now."""
        self._since = time.monotonic()

    def touch(self) -> None:
        """Somebody has, now."""
        self._since = time.monotonic()

    def seconds(self, now: float) -> float:
        """How long nobody has."""
        return now - self._since


def failure(reason: str) -> Event:
    """What the log says about a server that does not answer."""
    return Event("upstream_failed", Severity.MODERATE, detail=reason)
