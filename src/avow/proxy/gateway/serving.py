"""The gateway on a socket: uvicorn, with the limits that it leaves to others, and an orderly end."""

import asyncio
import gc
import resource
import signal
import socket
from contextlib import suppress
from typing import Any, Final

from avow.errors import UnavailableError, UsageError
from avow.proxy.gateway.app import Gateway

try:
    import uvicorn
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError as exc:
    raise UsageError(
        f"the gateway needs {exc.name}, which is not installed", hint="pip install 'avow[gateway]'"
    ) from exc

_HEADER_SECONDS: Final = 10.0
_HEADER_BYTES: Final = 64 * 1024
_KEEP_ALIVE_SECONDS: Final = 60
_FAREWELL_SECONDS: Final = 3
_BACKLOG: Final = 1024
_FILES: Final = 16384


class GuardedProtocol(HttpToolsProtocol):
    """HTTP/1.1 whose headers may neither come too slowly nor be too many, wherever they are."""

    _deadline: asyncio.TimerHandle | None = None
    _seen = 0
    _in_headers = True

    def connection_made(self, transport: Any) -> None:
        """Somebody connected, and has to say what they want."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody left."""
        self._settle()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what is no body, before it and after it: a parser keeps all of it."""
        self._seen += len(data)
        if self._in_headers and self._seen > _HEADER_BYTES and not self._is_complete(data):
            self.transport.close()
            return
        super().data_received(data)
        if self._seen > _HEADER_BYTES:
            self.transport.close()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._expect()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header; those after the body mean nothing here."""
        if self._in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The headers are here."""
        self._settle()
        self._seen = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body, which others count."""
        self._seen = 0
        super().on_body(body)

    def _expect(self) -> None:
        self._settle()
        self._in_headers = True
        self._seen = 0
        self._deadline = self.loop.call_later(_HEADER_SECONDS, self.transport.close)

    def _settle(self) -> None:
        self._in_headers = False
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_complete(self, data: bytes) -> bool:
        """Whether the headers end within the limit, and a large body follows in the same piece."""
        before = self._seen - len(data)
        return b"\r\n\r\n" in data[: max(0, _HEADER_BYTES - before)]


class _Server(uvicorn.Server):
    """Ends the conversations first: a stream that stays open would hold everything up."""

    def __init__(self, config: uvicorn.Config, gateway: Gateway) -> None:
        super().__init__(config)
        self._gateway = gateway

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._gateway.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Through the loop, which else goes on to watch a socket that is gone.
        for server in self.servers:
            server.close()
        await self._gateway.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket to serve on.

    Raises:
        UnavailableError: the address is not ours, or taken.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as exc:
        raise UnavailableError(
            f"cannot listen on {host}:{port}: {exc.strerror or exc}", hint="choose another with --listen"
        ) from exc
    return listening


def serve(gateway: Gateway, listening: socket.socket) -> None:
    """Serve until a signal says to stop; nothing that was started stays behind."""
    config = uvicorn.Config(
        gateway,
        http=GuardedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_FAREWELL_SECONDS,
    )
    _allow_many_files()
    # What is loaded by now stays: the collector need not look at it again and again.
    gc.freeze()
    # uvicorn passes a signal on when it is done: for us, being told to stop is no failure.
    before = {number: signal.signal(number, _ignore) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        _Server(config, gateway).run([listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        with suppress(OSError):
            listening.close()


def _allow_many_files() -> None:
    """Every connection is an open file, and the usual limit is for programs that have few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _FILES:
        with suppress(OSError, ValueError):
            resource.setrlimit(
                resource.RLIMIT_NOFILE,
                (_FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES), hard),
            )


def _ignore(*_: object) -> None:
    """Let a signal pass."""
