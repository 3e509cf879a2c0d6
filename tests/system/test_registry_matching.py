"""Which servers offer at least what a signature offers, over both stores."""

import pickle
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import pytest

from avow.core.publication import ServerName
from avow.errors import UsageError
from avow.registry.limits import Limits
from avow.registry.matching import match
from avow.registry.metrics import Metrics
from avow.registry.publishing import publish
from avow.registry.service import Service
from avow.registry.settings import Settings
from avow.registry.store.interface import Store
from registry_samples import NAMESPACE, NOW, READ, WRITE, envelope, snapshot, tool
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
WIDER = tool("read_file", "Also by pages.", path="string", page="integer")
NARROWER = tool("read_file", "Only by number.", path="integer")


def served(store: Store) -> Service:
    return Service(store, Settings(), "registry.example/log", "", Metrics(), Limits(0, 0, 0, 0))


async def test_drop_in_replacements_are_found(store: Store) -> None:
    """Every wanted capability is there and accepts at least the same; a cursor leads on."""
    offered = {"same": [READ], "more": [WIDER, WRITE], "other": [WRITE], "less": [NARROWER, WRITE]}
    for name, tools in offered.items():
        await publish(store, envelope(snapshot(*tools), "1", ServerName(NAMESPACE, name)), NOW)

    async def found(*tools: dict[str, object]) -> list[str]:
        return [each.name.server for each in await match(served(store), snapshot(*tools).signature, 100)]

    assert await found(READ) == ["more", "same"]
    assert await found(READ, WRITE) == ["more"]
    assert await found(WIDER) == ["more"]
    assert await found(tool("nobody")) == []
    page = await match(served(store), snapshot(READ).signature, 100, limit=1)
    rest = [page]
    while rest[-1].next is not None:
        rest.append(await match(served(store), snapshot(READ).signature, 100, limit=1, cursor=rest[-1].next))
    assert [each.name.server for each in (each for page in rest for each in page)] == ["more", "same"]
    with pytest.raises(UsageError, match="0 capabilities are wanted"):
        await match(served(store), snapshot().signature, 100)


async def test_a_page_has_no_more_than_was_asked_for(store: Store) -> None:
    """Some candidates are none: the pages together still have everything once, and each at most its limit."""
    for number in range(14):
        tools = [READ] if number % 2 else [NARROWER]
        await publish(store, envelope(snapshot(*tools), "1", ServerName(NAMESPACE, f"s{number}")), NOW)
    cursor, pages = None, list[list[str]]()
    while not pages or cursor is not None:
        page = await match(served(store), snapshot(READ).signature, 100, limit=3, cursor=cursor)
        pages.append([each.name.server for each in page])
        cursor = page.next

    assert pages == [["s13", "s11", "s9"], ["s7", "s5", "s3"], ["s1"]]


@pytest.mark.parametrize("size", [100, 1_000_000])
async def test_what_costs_much_is_proved_by_a_process(store: Store, size: int) -> None:
    """Large documents, or small ones that need many steps; the answer is the same."""
    hard = tool("read_file", **{f"a{number}": "string" for number in range(300)})
    for number in range(40):
        other = {**hard, "description": f"{number}"}
        await publish(store, envelope(snapshot(other), "1", ServerName(NAMESPACE, f"s{number}")), NOW)
    executor = Noticed()
    service = replace(served(store), executor=executor)

    found = await match(service, snapshot(hard).signature, size)

    assert len(found.items) == 40
    assert executor.calls == 1
    await publish(store, envelope(snapshot(WRITE), "1", ServerName(NAMESPACE, "simple")), NOW)
    assert len((await match(service, snapshot(WRITE).signature, 100)).items) == 1
    assert executor.calls == 1


class Noticed(Executor):
    """Calls here, and counts."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        self.calls += 1
        future: Future[Any] = Future()
        future.set_result(fn(*pickle.loads(pickle.dumps(args)), **kwargs))
        return future
