"""The gateway as an ASGI application: which request goes where, and what HTTP says about it."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from avow.core.severity import Severity
from avow.errors import AvowError
from avow.protocol.events import event
from avow.protocol.gate import Phase
from avow.protocol.messages import METHOD_NOT_FOUND, PARSE_ERROR, RequestId, error_response
from avow.protocol.versions import KNOWN, MODERN, is_older
from avow.proxy.gateway import headers as http
from avow.proxy.gateway.access import Access, Denied
from avow.proxy.gateway.backends import Backend
from avow.proxy.gateway.conversation import UNAVAILABLE, failure
from avow.proxy.gateway.envelopes import Envelope, claims, envelope, is_notification
from avow.proxy.gateway.metrics import CONTENT_TYPE, Metrics
from avow.proxy.gateway.replies import Answerer, Receive, Send, accepts
from avow.proxy.gateway.sessions import Entry, Sessions
from avow.proxy.gateway.stream import Stream
from avow.system.configuration.preflight import CONFIGURATION_NEEDED, ConfigurationNeededError

_SWEEP_SECONDS: Final = 1.0
_ROOM_SECONDS: Final = 10.0
_RESUMABLE: Final = "2025-11-25"
_GATEWAY: Final = ""
# Nobody reads on what a stranger sends, or somebody who does not keep to the limits.
_CLOSE: Final = (b"connection", b"close")
_OF_SESSIONS: Final = frozenset({"initialize", "resources/subscribe", "resources/unsubscribe"})
_KNOWN: Final = frozenset(version.encode() for version in KNOWN)
_OLDEST: Final = KNOWN[0].encode()
_MODERN: Final = frozenset(version.encode() for version in MODERN)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one request, and all of them, may cost."""

    body_bytes: int = 16 * 1024 * 1024
    body_seconds: float = 30.0
    requests: int = 4096
    server_requests: int = 1024


@dataclass(slots=True)
class _Call:
    """One HTTP request to a server, after everybody was let in."""

    backend: Backend
    method: str
    headers: Mapping[bytes, bytes]
    owner: bytes
    receive: Receive
    answerer: Answerer
    request_id: RequestId | None = None


class Gateway:
    """Every server at `/NAME/mcp`, `/healthz` and `/metrics`."""

    def __init__(
        self,
        backends: Mapping[str, Backend],
        access: Access,
        sessions: Sessions,
        metrics: Metrics,
        bounds: Bounds,
    ) -> None:
        """Compose what others do."""
        self._backends = dict(backends)
        self._withdrawn: list[Backend] = []
        self._access = access
        self._sessions = sessions
        self._metrics = metrics
        self._bounds = bounds
        self._active: Counter[str] = Counter()
        self._sweeper: asyncio.Task[None] | None = None
        metrics.gauge("avow_gateway_sessions", sessions.count)
        metrics.gauge("avow_gateway_streams", lambda: +self._active)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        answerer = Answerer(receive, send)
        server = _GATEWAY
        try:
            server = await self._answer(scope, receive, answerer)
        finally:
            self._metrics.request(server, answerer.status)

    def start(self) -> None:
        """Let time pass."""
        self._sweeper = asyncio.ensure_future(self._sweep())

    async def close(self) -> None:
        """End every session and every server."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        await self._sessions.close()
        await asyncio.gather(*(backend.end("the gateway is shutting down") for backend in self._withdrawn))
        await asyncio.gather(*(backend.close() for backend in self._backends.values()))

    async def withdraw(self, name: str, error: AvowError) -> None:
        """End everything that goes on with one server; whoever asks for it is told why from now on."""
        before = self.refuse(name, error)
        self._sessions.end_all(name)
        await before.end(error.message)

    def refuse(self, name: str, error: AvowError) -> Backend:
        """Tell whoever asks for a server why it is not served; the answer is what served it before."""
        before = self._backends[name]
        self._backends[name] = before.refusing(error)
        self._withdrawn.append(before)
        before.write([event("registry_refused", Severity.CRITICAL, name=name, detail=error.message)])
        return before

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self._sessions.sweep()
            now = time.monotonic()
            for backend in (*self._backends.values(), *self._withdrawn):
                backend.sweep(now)

    async def _answer(self, scope: Mapping[str, Any], receive: Receive, answerer: Answerer) -> str:
        found = http.read_headers(scope["headers"])
        if found is None:
            await answerer.refuse(400, "a header that may be there once is there twice")
            return _GATEWAY
        denied = self._access.judge_place(found)
        if denied is not None:
            await answerer.refuse(denied.status, denied.message, (*denied.headers, _CLOSE))
            return _GATEWAY
        path: str = scope["path"]
        if path == "/healthz":
            await answerer.plain(200, b'{"status": "ok"}')
            return _GATEWAY
        owner = self._access.judge_caller(found)
        if isinstance(owner, Denied):
            await answerer.refuse(owner.status, owner.message, (*owner.headers, _CLOSE))
            return _GATEWAY
        if path == "/metrics":
            await answerer.plain(200, self._metrics.text(), ((b"content-type", CONTENT_TYPE),))
            return _GATEWAY
        backend = self._backends.get(path[1:].removesuffix("/mcp")) if path.endswith("/mcp") else None
        if backend is None:
            await answerer.refuse(404, "no server has this path: each is at /NAME/mcp")
            return _GATEWAY
        await self._serve(_Call(backend, scope["method"], found, owner, receive, answerer))
        return backend.name

    async def _serve(self, call: _Call) -> None:
        is_busy = self._active[call.backend.name] >= self._bounds.server_requests
        if is_busy or self._active.total() >= self._bounds.requests:
            await call.answerer.refuse(503, "too many requests are being answered", ((b"retry-after", b"1"),))
            return
        self._active[call.backend.name] += 1
        try:
            match call.method:
                case "POST":
                    await self._post(call)
                case "GET" | "DELETE" if call.headers.get(http.VERSION, b"") not in _MODERN:
                    await self._use_session(call)
                case _:
                    await call.answerer.refuse(405, "this endpoint takes POST", ((b"allow", b"POST"),))
        except ConfigurationNeededError as error:
            call.backend.write([failure(error.message)])
            await call.answerer.refuse(
                503,
                f"{error.message} ({error.hint})",
                code=CONFIGURATION_NEEDED,
                request_id=call.request_id,
                data=error.data,
            )
        except AvowError as error:
            call.backend.write([failure(error.message)])
            await call.answerer.refuse(502, error.message, code=UNAVAILABLE, request_id=call.request_id)
        finally:
            self._active[call.backend.name] -= 1

    async def _post(self, call: _Call) -> None:
        kind = call.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if kind != b"application/json":
            await call.answerer.refuse(415, "the content type has to be application/json")
            return
        if not accepts(call.headers, b"application/json") and not accepts(call.headers, b"text/event-stream"):
            await call.answerer.refuse(406, "accept application/json and text/event-stream")
            return
        body = await self._body(call)
        if isinstance(body, Denied):
            await call.answerer.refuse(body.status, body.message, (_CLOSE,))
            return
        line = body.strip()
        if not line:
            await call.answerer.refuse(400, "the body is empty", code=PARSE_ERROR)
            return
        outside = envelope(line)
        call.request_id = outside.id
        if call.headers.get(http.VERSION, b"") in _MODERN:
            await self._ask(call, line, outside)
        elif http.SESSION in call.headers:
            await self._say(call, line)
        elif outside.method == "initialize" and outside.id is not None:
            await self._open(call, line)
        elif claims(line):
            await self._ask(call, line, outside)
        else:
            await call.answerer.refuse(
                400, "the Mcp-Session-Id header is missing", request_id=call.request_id
            )

    async def _body(self, call: _Call) -> bytes | Denied:
        """The body, if it is not too large and comes in time."""
        limit = self._bounds.body_bytes
        too_large = Denied(413, f"the body is larger than {limit} bytes")
        length = call.headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 15 or int(length) > limit:
            return too_large
        pieces: list[bytes] = []
        size = 0
        more = True
        try:
            async with asyncio.timeout(self._bounds.body_seconds):
                while more and size <= limit:
                    event = await call.receive()
                    more = event.get("more_body", False)
                    pieces.append(event.get("body", b""))
                    size += len(pieces[-1])
        except TimeoutError:
            return Denied(408, "the body took too long")
        return b"".join(pieces) if size <= limit else too_large

    async def _ask(self, call: _Call, line: bytes, outside: Envelope) -> None:
        """A message of 2026-07-28, which has no sessions."""
        if outside.id is None and is_notification(line):
            # This version has no notifications of clients: there is nothing they could be about.
            await call.answerer.plain(202)
        elif outside.method in _OF_SESSIONS:
            error = error_response(
                outside.id, METHOD_NOT_FOUND, f"avow: without a session there is no {outside.method}"
            )
            await call.answerer.plain(404, error)
        elif await self._has_room(call, call.backend.room()):
            stream = await call.backend.ask(
                line, http.facts(call.headers), http.passed(call.headers, modern=True), call.owner
            )
            if not stream.pieces and stream.over:
                await call.answerer.refuse(400, "the body is not a single request")
                return
            await call.answerer.answer(
                stream, events=accepts(call.headers, b"text/event-stream"), modern=True
            )

    async def _open(self, call: _Call, line: bytes) -> None:
        """The beginning of a session."""
        with self._sessions.place() as free:
            if not free:
                await call.answerer.refuse(503, "too many sessions are open", ((b"retry-after", b"10"),))
                return
            session = await call.backend.open(http.passed(call.headers, modern=False))
            session_id = self._sessions.add(call.backend.name, call.owner, session)
        if self._backends[call.backend.name] is not call.backend:
            # It was withdrawn while its process started: the session ends before it begins.
            self._sessions.remove(session_id)
            await call.answerer.refuse(502, "the server is served no more", request_id=call.request_id)
            return
        try:
            stream = session.take(line, None, http.passed(call.headers, modern=False))
            named = ((http.SESSION, session_id.encode()),)
            await call.answerer.answer(stream, named, events=accepts(call.headers, b"text/event-stream"))
        finally:
            if session.gate.phase in (Phase.AWAITING_INIT, Phase.TERMINATED):
                self._sessions.remove(session_id)

    async def _say(self, call: _Call, line: bytes) -> None:
        """A message within a session."""
        entry = await self._entry(call)
        if entry is None:
            return
        if call.headers.get(http.VERSION, _OLDEST) not in _KNOWN:
            await call.answerer.refuse(400, "the MCP-Protocol-Version header names no version that exists")
            return
        session = entry.session
        if not await self._has_room(call, session.room()):
            return
        # Some clients name another version than they agreed on. What was agreed on counts.
        stream = session.take(line, None, http.passed(call.headers, modern=False))
        if stream.waiting or stream.pieces:
            await self._answer_in_session(call, entry, stream)
            return
        while not stream.over:
            await stream.wait(60)
        if stream.pieces:
            await self._answer_in_session(call, entry, stream)
        else:
            await call.answerer.plain(stream.status or 202)

    async def _has_room(self, call: _Call, room: asyncio.Event | None) -> bool:
        """Whether the server takes a message in time; without room, the client has been told."""
        if room is None or room.is_set():
            return True
        if await call.answerer.outwaits(room, _ROOM_SECONDS):
            return True
        message = "the server does not keep up with what it is sent"
        await call.answerer.refuse(503, message, ((b"retry-after", b"10"),), request_id=call.request_id)
        return False

    async def _answer_in_session(self, call: _Call, entry: Entry, stream: Stream) -> None:
        version = call.headers.get(http.VERSION, b"").decode("latin-1")
        resumable = version and not is_older(version, _RESUMABLE)
        await call.answerer.answer(
            stream,
            ((http.SESSION, call.headers[http.SESSION]),),
            events=accepts(call.headers, b"text/event-stream"),
            prime=entry.session.prime if resumable else None,
        )
        entry.idle.touch()

    async def _use_session(self, call: _Call) -> None:
        entry = await self._entry(call)
        if entry is None:
            return
        if call.method == "DELETE":
            self._sessions.remove(call.headers[http.SESSION].decode("latin-1"))
            await call.answerer.plain(200)
            return
        if not accepts(call.headers, b"text/event-stream"):
            await call.answerer.refuse(406, "accept text/event-stream")
            return
        event_id = call.headers.get(b"last-event-id", b"").decode("latin-1")
        stream = entry.session.listen(event_id, http.passed(call.headers, modern=False))
        if stream is None:
            await call.answerer.refuse(409, "another request listens already")
            return
        status = 200 if stream.opening is None else await stream.opening
        if status != 200:
            await call.answerer.refuse(status, "the server offers no stream for this")
            return
        await call.answerer.listen(stream, ((http.SESSION, call.headers[http.SESSION]),))
        entry.idle.touch()

    async def _entry(self, call: _Call) -> Entry | None:
        """The session that a request names; without one, it has been answered."""
        session_id = call.headers.get(http.SESSION)
        if session_id is None:
            await call.answerer.refuse(400, "the Mcp-Session-Id header is missing")
            return None
        entry = self._sessions.find(session_id.decode("latin-1"), call.backend.name, call.owner)
        if entry is None:
            await call.answerer.refuse(404, "there is no such session, or it has ended")
        return entry
