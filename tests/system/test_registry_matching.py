"""Which servers offer at least what a signature offers, over both stores; and work in other processes."""

import os
import signal

import pytest

from avow.core.publication import ServerName
from avow.errors import UnavailableError, UsageError
from avow.registry.matching import match
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.workers import Workers
from registry_samples import NAMESPACE, NOW, READ, WRITE, envelope, snapshot, tool
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
WIDER = tool("read_file", "Also by pages.", path="string", page="integer")
NARROWER = tool("read_file", "Only by number.", path="integer")


async def test_drop_in_replacements_are_found(store: Store) -> None:
    """Every wanted capability is there and accepts at least the same; a cursor leads on."""
    offered = {"same": [READ], "more": [WIDER, WRITE], "other": [WRITE], "less": [NARROWER, WRITE]}
    for name, tools in offered.items():
        await publish(store, envelope(snapshot(*tools), "1", ServerName(NAMESPACE, name)), NOW)

    async def found(*tools: dict[str, object]) -> list[str]:
        return [each.name.server for each in await match(store, snapshot(*tools).signature)]

    assert await found(READ) == ["more", "same"]
    assert await found(READ, WRITE) == ["more"]
    assert await found(WIDER) == ["more"]
    assert await found(tool("nobody")) == []
    page = await match(store, snapshot(READ).signature, limit=1)
    rest = [page]
    while rest[-1].next is not None:
        rest.append(await match(store, snapshot(READ).signature, limit=1, cursor=rest[-1].next))
    assert [each.name.server for each in (each for page in rest for each in page)] == ["more", "same"]
    with pytest.raises(UsageError, match="0 capabilities are wanted"):
        await match(store, snapshot().signature)


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
async def test_publications_are_prepared_in_other_processes(store: Store) -> None:
    """The same answers and the same errors; a process that was killed is replaced."""
    workers = Workers(1)
    try:
        receipt = await publish(store, envelope(snapshot(READ), "1"), NOW, workers)
        assert receipt.is_new
        (process,) = workers._pool._processes.values()
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join(10)
        for _ in range(3):
            try:
                receipt = await publish(store, envelope(snapshot(READ, WRITE), "2"), NOW, workers)
            except UnavailableError:
                continue
            break
        assert receipt.version.version == "2"
    finally:
        workers.shutdown()
