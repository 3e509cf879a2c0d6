"""The registry on a socket: uvicorn, and an orderly end."""

import asyncio
import gc
import logging
import signal
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

_KEEP_ALIVE_SECONDS: Final = 30
_FAREWELL_SECONDS: Final = 10
_MOST_CONNECTIONS: Final = 4096
_ALLOCATIONS: Final = 20_000


def serve(
    compose: Callable[[], Awaitable[tuple[ASGIApp, Callable[[], Awaitable[None]]]]],
    listening: socket.socket,
    protocol: type[Any],
) -> None:
    """Serve what `compose` makes until a signal says to stop.

    Requests that were begun are answered, then what `compose` opened is closed.
    """
    _log_lightly()
    ending = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: ending.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        with asyncio.Runner(loop_factory=_loop) as runner:
            runner.run(_serve(compose, listening, protocol, ending))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        with suppress(OSError):
            listening.close()


async def _serve(
    compose: Callable[[], Awaitable[tuple[ASGIApp, Callable[[], Awaitable[None]]]]],
    listening: socket.socket,
    protocol: type[Any],
    ending: threading.Event,
) -> None:
    app, close = await compose()
    try:
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_FAREWELL_SECONDS,
        )
        # What is loaded by now stays: the collector need not look at it again and again, nor after every
        # request: what refers to itself is rare here.
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS)
        server = _Server(config, ending)
        await server.serve([listening])
    finally:
        await close()


class _Server(uvicorn.Server):
    """Hears signals also that came before it listened for them."""

    def __init__(self, config: uvicorn.Config, ending: threading.Event) -> None:
        super().__init__(config)
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; uvicorn listens for signals by now, so that none is lost in between."""
        await super().startup(sockets)
        if self._ending.is_set():
            self.should_exit = True


def _loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _log_lightly() -> None:
    """Lines of the log say what they have to say: nobody has to look up who wrote them, and where."""
    # The four that Python's documentation names for this.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
