"""One process for all: whoever asks while it starts waits for it, and nobody for ever."""

import asyncio
import signal
import subprocess
from collections.abc import Iterator

import pytest

from avow.proxy.gateway.process import ServerProcess
from avow.proxy.gateway.shared import SharedProcess


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """A loop that never waits for anything cannot be timed out from within."""

    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_who_asks_in_the_moment_in_which_the_server_is_there_finds_it() -> None:
    late: list[asyncio.Future[None]] = []

    async def start() -> ServerProcess:
        process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        late.append(asyncio.ensure_future(shared.ready()))
        return ServerProcess(process, 1024 * 1024)

    async def story() -> None:
        await shared.ready()
        await asyncio.gather(*late)
        assert shared.room() is not None
        await shared.end()

    shared = SharedProcess(start, lambda _: None, lambda: None)
    asyncio.run(story())

    assert len(late) == 1
