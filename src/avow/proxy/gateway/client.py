"""A lean HTTP/1.1 client: kept connections, answers handed on as they come, nothing followed or decoded.

It tells by callbacks what happens, so that a message needs no task of its own on its way through. Redirects
are answers like any other, cookies do not exist, and certificates are always verified.
"""

import asyncio
import ssl
import time
from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

import httptools

from avow.proxy.gateway.stream import Header

_CONNECT_SECONDS: Final = 10.0
# Most servers close a connection that was idle for five seconds: a request must not meet that.
_KEEP_SECONDS: Final = 4.0
_ANSWER_SECONDS: Final = 300.0
_ENDING_SECONDS: Final = 5.0
_HEADER_BYTES: Final = 64 * 1024
_MOST_CONNECTIONS: Final = 512
_MOST_WAITING: Final = 2048


class Listener(Protocol):
    """Whoever wants to know what comes back for a request."""

    def started(self, status: int, headers: dict[bytes, bytes]) -> None:
        """The answer begins."""

    def received(self, data: bytes) -> None:
        """A piece of its body."""

    def finished(self, problem: str) -> None:
        """It is over, whole unless there is a problem; nothing comes after this."""


class Request:
    """One request under way."""

    def __init__(self, data: bytes, listener: Listener) -> None:
        """Not sent yet."""
        self.data = data
        self.listener: Listener | None = listener
        self.connection: _Connection | None = None
        self.deadline: float | None = time.monotonic() + _ANSWER_SECONDS

    def start(self, status: int, headers: dict[bytes, bytes]) -> None:
        """The answer begins, and may take as long as it takes."""
        self.deadline = None
        if self.listener is not None:
            self.listener.started(status, headers)

    def expect_end(self) -> None:
        """There is nothing more to say: the end has to come soon."""
        self.deadline = time.monotonic() + _ENDING_SECONDS

    def abort(self) -> None:
        """Nobody wants the answer any more."""
        self.listener = None
        if self.connection is not None:
            self.connection.close()

    def pause(self) -> None:
        """Take no more for now."""
        if self.connection is not None:
            self.connection.pause()

    def resume(self) -> None:
        """Go on."""
        if self.connection is not None:
            self.connection.resume()

    def finish(self, problem: str = "") -> None:
        """Tell the listener once that it is over."""
        listener, self.listener = self.listener, None
        if listener is not None:
            listener.finished(problem)


class HttpClient:
    """Connections to one address."""

    def __init__(self, url: str, headers: Iterable[Header] = ()) -> None:
        """Send `headers` with every request."""
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if secure else 80)
        self._ssl = ssl.create_default_context() if secure else None
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        own = (
            (
                b"host",
                parts.netloc.rpartition("@")[2].encode("idna" if not parts.netloc.isascii() else "ascii"),
            ),
        )
        self._target = b" " + path.encode("ascii") + b" HTTP/1.1\r\n" + _lines((*own, *headers))
        self._idle: list[_Connection] = []
        self._open: set[_Connection] = set()
        self._waiting: deque[Request] = deque()
        self._connecting: set[asyncio.Task[None]] = set()

    def send(self, method: bytes, headers: Iterable[Header], body: bytes, listener: Listener) -> Request:
        """Send a request, now or when a connection is free."""
        length = b"content-length: %d\r\n" % len(body) if method == b"POST" else b""
        request = Request(b"".join((method, self._target, _lines(headers), length, b"\r\n", body)), listener)
        self._dispatch(request)
        return request

    def sweep(self, now: float) -> None:
        """Close what was idle for long, and give up on answers that do not begin, or end, in time."""
        for connection in [each for each in self._idle if now - each.since > _KEEP_SECONDS]:
            connection.close()
        for connection in list(self._open):
            request = connection.request
            if request is not None and request.deadline is not None and now > request.deadline:
                request.finish("the server did not answer in time")
                connection.close()

    def close(self) -> None:
        """Close every connection."""
        for task in self._connecting:
            task.cancel()
        for connection in list(self._open):
            connection.close()

    def release(self, connection: "_Connection", *, reusable: bool) -> None:
        """A connection has done its work."""
        if not reusable:
            self._open.discard(connection)
            if connection in self._idle:
                self._idle.remove(connection)
        if self._waiting:
            self._dispatch(self._waiting.popleft(), connection if reusable else None)
        elif reusable:
            self._idle.append(connection)

    def _dispatch(self, request: Request, connection: "_Connection | None" = None) -> None:
        if connection is None and self._idle:
            connection = self._idle.pop()
            if time.monotonic() - connection.since > _KEEP_SECONDS:
                connection.close()
                connection = None
        if connection is not None:
            connection.start(request)
        elif len(self._open) + len(self._connecting) < _MOST_CONNECTIONS:
            task = asyncio.ensure_future(self._connect(request))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)
        elif len(self._waiting) < _MOST_WAITING:
            self._waiting.append(request)
        else:
            request.finish("too many requests wait for the server")

    async def _connect(self, request: Request) -> None:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: _Connection(self), self._host, self._port, ssl=self._ssl
                )
        except TimeoutError:
            request.finish("the server cannot be reached: no connection in time")
        except ssl.SSLError as exc:
            request.finish(f"the server cannot be trusted: {exc.reason or 'its certificate is not valid'}")
        except OSError as exc:
            request.finish(f"the server cannot be reached: {exc.strerror or 'no connection'}")
        else:
            self._open.add(connection)
            connection.start(request)


class _Connection(asyncio.Protocol):
    """One connection, with at most one request on it."""

    def __init__(self, client: HttpClient) -> None:
        self.since = time.monotonic()
        self.request: Request | None = None
        self._client = client
        self._transport: asyncio.Transport | None = None
        self._closed = False
        self._parser = httptools.HttpResponseParser(self)
        self._reset()

    def _reset(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._header_size = 0
        self._status = 0
        self._is_complete = False
        self._is_kept = False
        self._has_more = False

    def start(self, request: Request) -> None:
        if request.listener is None:
            self._client.release(self, reusable=not self._closed)
            return
        request.connection = self
        self.request = request
        assert self._transport is not None
        self._transport.write(request.data)
        request.data = b""

    def close(self) -> None:
        self._lose("the connection was closed")
        if self._transport is not None:
            self._transport.abort()

    def pause(self) -> None:
        if self._transport is not None and not self._closed:
            self._transport.pause_reading()

    def resume(self) -> None:
        if self._transport is not None and not self._closed:
            self._transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not every event loop's transports are of asyncio's class.
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        framed = b"content-length" in self._headers or b"transfer-encoding" in self._headers
        whole = exc is None and self._status and not framed
        self._lose("" if whole else "the server broke off the connection")

    def data_received(self, data: bytes) -> None:
        if self.request is None:
            self.close()
            return
        # Whatever is no body is kept by the parser, also what comes after the body.
        self._header_size += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._break_off("the server wants to speak another protocol")
        except httptools.HttpParserError:
            self._break_off("the server does not speak HTTP")
        else:
            if self._is_complete:
                self._complete()
            elif self._header_size > _HEADER_BYTES:
                self._break_off("the server's headers are too large")

    def on_message_begin(self) -> None:
        # An answer to nothing: what comes next on this connection could be taken for another request's.
        self._has_more = self._is_complete

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._status:
            self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            self._headers.clear()
        elif not self._is_complete:
            self._status = status
            if self.request is not None:
                self.request.start(status, self._headers)

    def on_body(self, body: bytes) -> None:
        self._header_size = 0
        if self.request is not None and self.request.listener is not None and not self._is_complete:
            self.request.listener.received(body)

    def on_message_complete(self) -> None:
        self._is_complete = bool(self._status)
        # The parser can tell only now.
        self._is_kept = self._parser.should_keep_alive()

    def _complete(self) -> None:
        request, self.request = self.request, None
        if self._is_kept and not self._has_more and not self._closed:
            self._reset()
            self.since = time.monotonic()
            self._client.release(self, reusable=True)
        else:
            self.close()
        if request is not None:
            request.finish()

    def _break_off(self, problem: str) -> None:
        self._lose(problem)
        self.close()

    def _lose(self, problem: str) -> None:
        if self._closed:
            return
        self._closed = True
        request, self.request = self.request, None
        self._client.release(self, reusable=False)
        if request is not None:
            request.finish(problem)


def _lines(headers: Iterable[Header]) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers])
