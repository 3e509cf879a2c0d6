"""A registry that listens, for tests that look at it with a browser."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass

import uvicorn

from avow.registry.app import create_app
from avow.registry.model import Role
from avow.registry.pages.routes import pages, session_key
from registry_showcase import SIGNER, Showcase

PATIENCE = 60.0


@dataclass(frozen=True)
class Served:
    """Where it listens, and tokens by role."""

    url: str
    tokens: Mapping[Role, str]


@contextmanager
def serving(showcase: Callable[[], AbstractAsyncContextManager[Showcase]]) -> Iterator[Served]:
    """Serve what is in a showcase, in a thread with a loop of its own, until the tests are done."""
    started: Future[tuple[Served, uvicorn.Server]] = Future()

    async def serve() -> None:
        async with showcase() as shown:
            app = create_app(shown.service, pages=pages(shown.service, session_key(SIGNER.key)))
            server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
            running = asyncio.create_task(server.serve())
            while not server.started and not running.done():
                await asyncio.sleep(0.02)
            port = server.servers[0].sockets[0].getsockname()[1]
            started.set_result((Served(f"http://127.0.0.1:{port}", shown.tokens), server))
            await running

    def run() -> None:
        try:
            asyncio.run(serve())
        except Exception as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    served, server = started.result(PATIENCE)
    try:
        yield served
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
    assert not thread.is_alive()
