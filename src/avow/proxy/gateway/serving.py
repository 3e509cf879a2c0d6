"""The gateway on a socket: uvicorn, and an orderly end."""

import asyncio
import gc
import resource
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Final, TypeAlias

from avow.errors import UsageError
from avow.proxy.gateway.app import Gateway

try:
    import uvicorn

    from avow.system.http_server import GuardedProtocol
except ImportError as exc:
    raise UsageError(
        f"the gateway needs {exc.name}, which is not installed", hint="pip install 'avow[gateway]'"
    ) from exc

_KEEP_ALIVE_SECONDS: Final = 60
_FAREWELL_SECONDS: Final = 3
_FILES: Final = 16384

Beside: TypeAlias = Callable[[Gateway], Coroutine[None, None, None]]


class _Server(uvicorn.Server):
    """Ends the conversations first: a stream that stays open would hold everything up."""

    def __init__(self, config: uvicorn.Config, gateway: Gateway, beside: Beside | None) -> None:
        super().__init__(config)
        self._gateway = gateway
        self._beside = beside
        self._task: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._gateway.start()
        if self._beside is not None:
            self._task = asyncio.create_task(self._beside(self._gateway))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._task is not None:
            self._task.cancel()
        # Through the loop, which else goes on to watch a socket that is gone.
        for server in self.servers:
            server.close()
        await self._gateway.close()
        await super().shutdown(sockets)


def serve(gateway: Gateway, listening: socket.socket, beside: Beside | None = None) -> None:
    """Serve until a signal says to stop; nothing that was started stays behind.

    What is done `beside` may withdraw servers meanwhile.
    """
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
        _Server(config, gateway, beside).run([listening])
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
