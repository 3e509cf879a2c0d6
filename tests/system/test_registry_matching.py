"""Which servers offer at least what a signature offers, over both stores."""

import pytest

from avow.core.publication import ServerName
from avow.errors import UsageError
from avow.registry.matching import match
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
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
