"""A server behind Streamable HTTP: each message is a request, each answer JSON or a stream of events.

Everything runs on an event loop in a thread of its own, so that any wait can be cut short.
"""

import asyncio
import json
import queue
import threading
import time
from contextlib import suppress
from typing import Final
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx

from avow.core.canonical import JsonObject
from avow.core.credentials import shown_url
from avow.core.printable import printable
from avow.core.target import HttpTarget
from avow.errors import AvowError, PeerProtocolError, ServerLaunchError
from avow.system.connect.channel import Refused, UnfitRequestError
from avow.system.connect.events import EventReader, bounded
from avow.system.connect.options import ConnectOptions
from avow.system.connect.wire import VERSION_KEY
from avow.system.connect.words import Tail, secrets_of
from avow.system.processes import expand, placeholders, variable

_FAREWELL: Final = 1.0
_REDIRECTS: Final = 3


class HttpChannel:
    """An endpoint, and the session that it may have given us."""

    is_ordered = False

    def __init__(self, target: HttpTarget, options: ConnectOptions) -> None:
        """Prepare to talk; nothing is sent yet.

        Raises:
            ServerLaunchError: the address is none, or a variable or header has no value.
        """
        self._url = _address(expand(target.url, options.env), target.url)
        self._headers = _headers(target, options)
        values = {name: variable(name, options.env) for name in placeholders(target.url)}
        self.secrets = secrets_of(
            HttpTarget(self._url),
            {**values, **options.env},
            self._headers,
            self._url,
            options.shown,
        )
        self.server = self.secrets.hide(_label(self._url))
        self._limits = options.limits
        self._inbox: queue.SimpleQueue[bytes | Refused] = queue.SimpleQueue()
        self._noise = Tail(options.limits.words)
        self._session: str | None = None
        self._version: str | None = None
        self._received = 0
        # Reading the certificates takes longer than a whole session without them.
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(None, connect=options.timeout),
            verify=not self._url.lower().startswith("http:"),
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def send(self, message: JsonObject, until: float) -> None:
        """Post a message; only a notification is waited for, since what follows may depend on it."""
        sent = asyncio.run_coroutine_threadsafe(self._exchange(message), self._loop)
        if message.get("method") == "notifications/initialized":
            with suppress(TimeoutError):
                sent.result(max(0.0, until - time.monotonic()))
            asyncio.run_coroutine_threadsafe(self._subscribe(), self._loop)

    def receive(self, until: float) -> bytes | Refused | None:
        """The next message from whichever answer is coming in."""
        try:
            return self._inbox.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return None

    def is_read(self) -> bool:
        """A request that was posted has been read."""
        return True

    def agree(self, version: str) -> None:
        """From now on every request names the version."""
        self._version = version

    def ignore(self, line: bytes) -> None:
        """Keep the end of what was no protocol."""
        self._noise.append(line + b"\n")

    def words(self) -> str:
        """What came that was no protocol."""
        return self._noise.text(self.secrets)

    def close(self) -> None:
        """Give the session back and drop every connection."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result(2 * _FAREWELL)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _exchange(self, message: JsonObject) -> None:
        """Post one message and deliver everything that comes back for it."""
        number = message.get("id") if "method" in message else None
        problem: AvowError = PeerProtocolError(f"{self.server} ended its answer without answering")
        try:
            await self._post(message, number)
        except AvowError as exc:
            problem = exc
        except httpx.ConnectError as exc:
            problem = ServerLaunchError(
                f"cannot connect to {self.server}: {self._said(str(exc))}",
                hint="is the server running, and the address right?",
            )
        except httpx.HTTPError as exc:
            reason = self._said(str(exc)) or type(exc).__name__
            problem = ServerLaunchError(f"{self.server} broke off the connection: {reason}")
        # Where an answer was delivered before it, this changes nothing.
        self._inbox.put(Refused(number, problem))

    async def _post(self, message: JsonObject, number: int | None) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        headers = self._request_headers(message)
        for _ in range(_REDIRECTS):
            async with self._client.stream("POST", self._url, content=body, headers=headers) as response:
                if not response.is_redirect:
                    await self._take(response, message, number)
                    return
                self._follow(response)
        raise PeerProtocolError(f"{self.server} redirects without end")

    async def _take(self, response: httpx.Response, message: JsonObject, number: int | None) -> None:
        """Deliver what an answer holds."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise PeerProtocolError(f"{self.server} compresses its answers although it was asked not to")
        if message.get("method") == "initialize" and response.is_success:
            self._session = self._session_id(response)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.is_success and kind == "text/event-stream":
            await self._read_events(response)
        elif kind == "application/json":
            body = await self._body(response)
            if not response.is_success:
                body = self._addressed(response, body, number)
            self._inbox.put(body)
        elif not response.is_success:
            raise self._status_error(response, await self._body(response))
        elif number is not None:
            shown = self._said(kind) or "nothing"
            raise UnfitRequestError(
                f"{self.server} answers with {shown} instead of JSON or events",
                hint="is this the address of an MCP endpoint? It often ends in /mcp",
            )

    def _session_id(self, response: httpx.Response) -> str | None:
        """The session that the server opens; its id goes into a header again, and has to be fit for one."""
        session: str | None = response.headers.get("mcp-session-id")
        if session is not None and not _is_visible(session):
            raise PeerProtocolError(f"{self.server} gives its session an id that is not visible ASCII")
        return session

    async def _read_events(self, response: httpx.Response) -> None:
        reader = EventReader(self._limits.message_bytes)
        try:
            async for piece in response.aiter_raw():
                self._count(len(piece))
                for event in reader.feed(piece):
                    self._inbox.put(event)
        except PeerProtocolError as exc:
            raise PeerProtocolError(f"{self.server}: {exc.message}") from exc

    async def _body(self, response: httpx.Response) -> bytes:
        try:
            body = await bounded(response.aiter_raw(), self._limits.message_bytes)
        except PeerProtocolError as exc:
            raise PeerProtocolError(f"{self.server}: {exc.message}") from exc
        self._count(len(body))
        return body

    def _count(self, size: int) -> None:
        """Nothing is thrown away on the way to the reader, so the sum is bounded, too."""
        self._received += size
        if self._received > 2 * self._limits.total_bytes:
            raise PeerProtocolError(f"{self.server} sent more than anybody would read")

    def _addressed(self, response: httpx.Response, body: bytes, number: int | None) -> bytes:
        """An error that a transport reports about no request in particular is about the one we posted."""
        try:
            error = json.loads(body)["error"]
            code, text = error["code"], error["message"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._status_error(response, body) from None
        if response.status_code in (401, 403):
            raise self._status_error(response, str(text).encode())
        answer = {"code": code, "message": text, "data": error.get("data")}
        return json.dumps({"jsonrpc": "2.0", "id": number, "error": answer}).encode()

    def _status_error(self, response: httpx.Response, body: bytes) -> AvowError:
        status, words = response.status_code, self._said(body[:2000].decode(errors="replace"))
        text = f"{self.server} answers HTTP {status} {response.reason_phrase}" + (
            f": {words}" if words else ""
        )
        if status in (401, 403, 407):
            return ServerLaunchError(
                text, hint="it wants credentials: pass a token with -H 'Authorization: Bearer ...'"
            )
        if status == 404:
            return UnfitRequestError(text, hint="is the path right? An MCP endpoint often ends in /mcp")
        return UnfitRequestError(text)

    def _follow(self, response: httpx.Response) -> None:
        """Go where we are sent, within the origin that the user chose."""
        place = urljoin(self._url, response.headers.get("location", ""))
        if response.status_code not in (307, 308) or _origin(place) != _origin(self._url):
            raise PeerProtocolError(
                f"{self.server} redirects to {self._said(_label(place))}, which Avow does not follow",
                hint="use that address, if you trust it",
            )
        self._url = place

    def _request_headers(self, message: JsonObject) -> dict[str, str]:
        headers = {
            **self._headers,
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
        }
        envelope = message.get("params", {}).get("_meta", {})
        if VERSION_KEY in envelope:
            return headers | {"MCP-Protocol-Version": envelope[VERSION_KEY], "Mcp-Method": message["method"]}
        return headers | self._session_headers()

    def _session_headers(self) -> dict[str, str]:
        headers = {}
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        if self._version is not None and _is_visible(self._version):
            headers["MCP-Protocol-Version"] = self._version
        return headers

    async def _subscribe(self) -> None:
        """Listen to what a session says unasked; a server may not offer that, and then nothing is lost."""
        headers = {**self._headers, **self._session_headers(), "Accept": "text/event-stream"}
        headers["Accept-Encoding"] = "identity"
        with suppress(httpx.HTTPError, PeerProtocolError):
            async with self._client.stream("GET", self._url, headers=headers) as response:
                if response.headers.get("content-type", "").startswith("text/event-stream"):
                    await self._read_events(response)

    async def _leave(self) -> None:
        for task in asyncio.all_tasks():
            if task is not asyncio.current_task():
                task.cancel()
        if self._session is not None:
            headers = {**self._headers, **self._session_headers()}
            with suppress(httpx.HTTPError):
                await self._client.delete(self._url, headers=headers, timeout=_FAREWELL)
        await self._client.aclose()

    def _said(self, text: str) -> str:
        return printable(self.secrets.hide(text), 300, fold=True)


def _headers(target: HttpTarget, options: ConnectOptions) -> dict[str, str]:
    given = {name.lower() for name in options.headers}
    for name in target.headers:
        if name.lower() not in given:
            raise ServerLaunchError(f"the header {name} has no value", hint=f"pass it with -H '{name}: ...'")
    return dict(options.headers)


def _address(url: str, shown: str) -> str:
    """The address, if a request can be sent to it."""
    try:
        httpx.URL(url)
        parts = urlsplit(url)
    except (httpx.InvalidURL, ValueError) as exc:
        raise ServerLaunchError(f"{printable(shown_url(shown), 200)} is no address") from exc
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ServerLaunchError(f"{printable(shown_url(shown), 200)} is no address of an HTTP server")
    return url


def _label(url: str) -> str:
    """The address without what may be secret in it."""
    parts = urlsplit(url)
    return shown_url(urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")))


def _is_visible(text: str) -> bool:
    """Whether there is something in it and all of it is visible ASCII, as the specification asks."""
    return bool(text) and all("!" <= character <= "~" for character in text)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
