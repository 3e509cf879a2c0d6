"""A conversation with a server behind Streamable HTTP: each message is a request of its own."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from avow.errors import MalformedInputError, PeerProtocolError
from avow.protocol.gate import Gate
from avow.protocol.messages import RequestId, error_response, join, members
from avow.proxy.gateway import headers as http
from avow.proxy.gateway.client import HttpClient, Request
from avow.proxy.gateway.conversation import UNAVAILABLE, Conversation, Log, failure
from avow.proxy.gateway.envelopes import Envelope, agreed_version, envelope, raw
from avow.proxy.gateway.events import EventParser
from avow.proxy.gateway.stream import Header, Stream

_FAREWELL_SECONDS: Final = 2.0
_REASONS: Final = {401: "wants other credentials", 403: "does not allow that", 429: "has too much to do"}


@dataclass(frozen=True, slots=True)
class Way:
    """How to reach a server: whether it gets the client's own authorization, and what it may send."""

    client: HttpClient
    limit: int
    pass_authorization: bool = False


class RemoteConversation(Conversation):
    """A session up to 2025-11-25, or a single request of 2026-07-28, with a server behind HTTP."""

    def __init__(self, gate: Gate, log: Log, way: Way, *, modern: bool) -> None:
        """Nothing has been sent yet."""
        super().__init__(gate, log)
        self.modern = modern
        self.session_id = b""
        self._way = way
        self._version = b""
        self._last_headers: tuple[Header, ...] = ()
        self._listening: dict[Request, Stream] = {}

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for something."""
        return bool(self._streams) or bool(self._listening)

    @property
    def limit(self) -> int:
        """How large a message may be."""
        return self._way.limit

    def listen(self, event_id: str, headers: tuple[Header, ...]) -> Stream | None:
        """What the server says unasked, or again after an event; its status decides whether there is any."""
        stream = Stream(headers=headers)
        stream.opening = asyncio.get_running_loop().create_future()
        extra = ((b"last-event-id", event_id.encode("latin-1")),) if event_id else ()
        exchange = _Exchange(self, Envelope(), stream, is_own=True)
        request = self._way.client.send(
            b"GET", (*_EVENTS_ONLY, *self._headers(headers, None), *extra), b"", exchange
        )
        exchange.request = request
        self._listening[request] = stream
        stream.when_left = request.abort
        stream.when_done = lambda: _forget(self._listening, request)
        return stream

    def prime(self, _stream: Stream) -> bytes:
        """Events have the server's own ids."""
        return b""

    def room(self) -> None:
        """Every message has a connection of its own."""

    async def close(self) -> None:
        """Give the session back."""
        self.dismiss("the session was ended")
        if self.session_id:
            over = asyncio.get_running_loop().create_future()
            self._way.client.send(b"DELETE", self._headers(self._last_headers, None), b"", _Farewell(over))
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL_SECONDS):
                    await over

    def end(self) -> None:
        """No more is said; a stream that belongs to no request ends as well."""
        super().end()
        for request, stream in list(self._listening.items()):
            request.abort()
            _open(stream, 404)
            stream.end()

    def _forward(self, line: bytes, outside: Envelope, origin: Stream | None) -> None:
        is_own = origin is not None and (outside.id in origin.waiting or line[:1] == b"[")
        exchange = _Exchange(self, outside, origin, is_own=is_own or outside.id is None)
        headers = origin.headers if origin is not None else self._last_headers
        self._last_headers = headers
        sent = (*_BOTH, *self._headers(headers, outside.method if self.modern and not is_own else None))
        if origin is not None:
            origin.exchanges += 1
        exchange.request = request = self._way.client.send(b"POST", sent, line, exchange)
        if origin is not None and is_own:
            origin.when_left = request.abort

    def _tell(self, line: bytes, _outside: Envelope, origin: Stream | None, head: bytes) -> None:
        if origin is not None:
            origin.put(line, head)

    def _headers(self, given: tuple[Header, ...], method: str | None) -> tuple[Header, ...]:
        """The headers of a request; `method` where it is one that the client did not make itself."""
        kept = [each for each in given if each[0] != b"authorization" or self._way.pass_authorization]
        if self._version:
            # What was agreed on, whatever a client says later.
            kept = [(name, self._version if name == http.VERSION else value) for name, value in kept]
        if method is not None:
            kept = [each for each in kept if not each[0].startswith(b"mcp-") or each[0] == http.VERSION]
            kept.append((http.METHOD, method.encode()))
        if self.session_id:
            kept.append((http.SESSION, self.session_id))
        return tuple(kept)

    def _answer(self, stream: Stream, request_id: RequestId | None, line: bytes, head: bytes) -> None:
        if not self._version and not self.modern:
            self._version = agreed_version(line)
        super()._answer(stream, request_id, line, head)

    def begun(self, outside: Envelope, status: int, headers: dict[bytes, bytes]) -> None:
        """An answer begins: the one to `initialize` may bring a session."""
        if outside.method == "initialize" and status < 300 and not self.modern:
            self.session_id = headers.get(http.SESSION, b"")

    def has_ended(self, status: int) -> bool:
        """Whether a status says that the server knows the session no more."""
        return status == 404 and bool(self.session_id)

    def is_hopeless(self, reason: str, origin: Stream | None) -> bool:
        """Tell a client why the gate cannot even find out what the server offers now."""
        if not self.modern or origin is None or not reason:
            return False
        origin.status = origin.status or 502
        for request_id in list(origin.waiting):
            origin.answer(request_id, error_response(request_id, UNAVAILABLE, f"avow: {reason}"))
        self.end()
        return True

    def complain(self, reason: str) -> None:
        """Log that the server did not do its part."""
        self._log([failure(reason)])

    def challenge(self, status: int, headers: dict[bytes, bytes]) -> tuple[int, tuple[Header, ...]]:
        """The status for a client whose request the server turned down, and what it needs to do better."""
        if self._way.pass_authorization and status in (401, 403):
            wanted = headers.get(b"www-authenticate")
            return status, (((b"www-authenticate", wanted),) if wanted else ())
        return 502, ()


class _Exchange:
    """What comes back for one message, on its way to the gate."""

    def __init__(
        self, owner: RemoteConversation, outside: Envelope, origin: Stream | None, *, is_own: bool
    ) -> None:
        self.request: Request | None = None
        self._owner = owner
        self._outside = outside
        self._origin = origin
        self._is_own = is_own
        self._status = 0
        self._headers: dict[bytes, bytes] = {}
        self._events: EventParser | None = None
        self._body: list[bytes] = []
        self._size = 0
        self._answered = False
        self._resumable = False

    def started(self, status: int, headers: dict[bytes, bytes]) -> None:
        self._status, self._headers = status, headers
        self._owner.begun(self._outside, status, headers)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if status < 300 and kind == b"text/event-stream":
            self._events = EventParser(self._owner.limit)
            if self._origin is not None and self._is_own:
                self._origin.as_events = True
        _open(self._origin, status if self._events is not None or status >= 300 else 502)

    def received(self, data: bytes) -> None:
        if self._events is None:
            self._size += len(data)
            if self._size <= self._owner.limit:
                self._body.append(data)
            else:
                self._give_up("the server's answer is beyond the limit")
            return
        try:
            for event in self._events.feed(data):
                self._event(event.data, event.head if self._is_own else b"")
        except PeerProtocolError as exc:
            self._give_up(f"the server sent {exc.message}")
            return
        if self._origin is not None and self._origin.is_full and self.request is not None:
            self.request.pause()
            self._origin.call_when_drained(self.request.resume)

    def finished(self, problem: str) -> None:
        if not problem and self._events is None:
            problem = self._whole(b"".join(self._body))
        self._settle(problem)

    def _event(self, data: bytes, head: bytes) -> None:
        self._resumable = self._resumable or head.startswith(b"id:")
        if data:
            self._line(data, head)
        elif self._origin is not None and head:
            self._origin.put(b"", head)

    def _line(self, line: bytes, head: bytes = b"") -> None:
        if not self._answered:
            outside = envelope(line)
            self._answered = outside.is_answer and outside.id == self._outside.id
        self._owner.receive(line, self._origin, head)
        if self._answered and self.request is not None:
            self.request.expect_end()

    def _whole(self, body: bytes) -> str:
        """A body that came in one: an answer, an error, or nothing for a notification."""
        encoding = self._headers.get(b"content-encoding", b"identity")
        kind = self._headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if encoding != b"identity":
            return "the server compresses its answers although it was asked not to"
        if self._status >= 300:
            return self._refused(body, kind)
        if self._outside.id is None or not self._outside.method:
            return ""
        if kind != b"application/json":
            return f"the server answers HTTP {self._status} without JSON or events"
        self._line(body)
        return ""

    def _refused(self, body: bytes, kind: bytes) -> str:
        """An error of the protocol goes to the client with its status; another one becomes our own."""
        request_id = self._outside.id
        if self._origin is not None and self._is_own and not self._owner.has_ended(self._status):
            if kind == b"application/json" and request_id is not None and self._status not in (401, 403):
                addressed = _addressed(body, request_id)
                if addressed:
                    self._origin.status = self._status
                    self._line(addressed)
                    return ""
            self._origin.status, self._origin.reply_headers = self._owner.challenge(
                self._status, self._headers
            )
        reason = _REASONS.get(self._status, "does not do what it was asked")
        if 300 <= self._status < 400:
            reason = "redirects elsewhere, where Avow does not follow"
        return f"the server {reason} (HTTP {self._status})"

    def _give_up(self, problem: str) -> None:
        if self.request is not None:
            self.request.abort()
        self._settle(problem)

    def _settle(self, problem: str) -> None:
        """Nothing more comes: whoever still waits for this is told, unless it can be resumed."""
        origin, owner = self._origin, self._owner
        if origin is not None:
            origin.exchanges -= 1
            _open(origin, 502)
        if problem:
            owner.complain(problem)
        if owner.has_ended(self._status) and origin is not None:
            origin.status = 404
        if not self._answered and self._outside.method and self._outside.id is not None:
            if self._resumable and origin is not None:
                origin.end()
            elif self._is_own or not owner.is_hopeless(problem, origin):
                if origin is not None and self._is_own and not origin.status:
                    origin.status = 502
                owner.fail(
                    self._outside.id, problem or "the server ended its answer without answering", origin
                )
        elif origin is not None and not origin.waiting:
            if problem and not origin.status:
                origin.status = 502
            origin.end()
        if owner.has_ended(self._status):
            owner.session_id = b""
            owner.end()


class _Farewell:
    """Waits for the answer to the last request of a session."""

    def __init__(self, over: "asyncio.Future[None]") -> None:
        self._over = over

    def started(self, status: int, headers: dict[bytes, bytes]) -> None:
        """Whatever the server says is fine."""

    def received(self, data: bytes) -> None:
        """Nobody reads it."""

    def finished(self, _problem: str) -> None:
        if not self._over.done():
            self._over.set_result(None)


_COMMON: Final = ((b"accept-encoding", b"identity"),)
_EVENTS_ONLY: Final = (*_COMMON, (b"accept", b"text/event-stream"))
_BOTH: Final = (
    *_COMMON,
    (b"accept", b"application/json, text/event-stream"),
    (b"content-type", b"application/json"),
)


def _addressed(body: bytes, request_id: RequestId) -> bytes:
    """An error of the protocol as the answer to a request: the server may not have read whose it was."""
    try:
        error = members(body).get("error")
    except MalformedInputError:
        return b""
    return join({"jsonrpc": b'"2.0"', "id": raw(request_id), "error": error}) if error else b""


def _open(stream: Stream | None, status: int) -> None:
    """Tell whoever waits to listen whether there is anything to hear."""
    if stream is not None and stream.opening is not None and not stream.opening.done():
        stream.opening.set_result(status)


def _forget(listening: dict[Request, Stream], request: Request) -> None:
    listening.pop(request, None)
