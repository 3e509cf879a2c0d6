"""What serves HTTP here has in common: a socket, and the limits that uvicorn leaves to others."""

import asyncio
import socket
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from avow.errors import UnavailableError

_HEADER_SECONDS: Final = 10.0
_HEADER_BYTES: Final = 64 * 1024
_BACKLOG: Final = 1024


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
