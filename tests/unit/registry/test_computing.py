"""Large documents are read beside the event loop, one at a time."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from avow.registry.computing import SMALL, compute

pytestmark = pytest.mark.anyio


class Place:
    """What `compute` asks of a service."""

    def __init__(self) -> None:
        self.large = asyncio.Semaphore(1)
        self.executor = ThreadPoolExecutor(2)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def service() -> Iterator[Any]:
    place = Place()
    yield place
    place.executor.shutdown()


async def test_who_leaves_early_keeps_the_place_until_the_work_is_done(service: Any) -> None:
    """Otherwise the next one takes the other process, and nobody can publish."""
    go_on = threading.Event()
    first = asyncio.create_task(compute(service, SMALL + 1, go_on.wait, 30.0))
    await asyncio.sleep(0.05)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)

    second = asyncio.create_task(compute(service, SMALL + 1, len, "next"))
    await asyncio.sleep(0.05)
    assert not second.done()
    go_on.set()

    assert await asyncio.wait_for(second, 10) == 4
    assert not service.large.locked()


async def test_errors_come_back_and_free_the_place(service: Any) -> None:
    for size in (1, SMALL + 1):
        with pytest.raises(ZeroDivisionError):
            await compute(service, size, divmod, 1, 0)

    assert not service.large.locked()
