"""`guard` itself: what it takes, and mistakes that it names."""

from typing import Any

import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.errors import DeclarationError
from avow.server import Feature, guard
from hardened.servers import bare

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minimum": "2025-11-05"}, "minimum='2025-11-05' is no version of the protocol"),
        ({"baseline": "new"}, "baseline='new' is no version of the protocol"),
        ({"controls": "pray"}, "controls='pray' is no choice"),
        ({"unknown_versions": "accept"}, "unknown_versions='accept' is no choice"),
        ({"features": {"a": Feature()}}, "features need somebody who grants them"),
        ({"grants": lambda identity: set()}, "features need somebody who grants them"),
        ({"features": {"a": Feature(tools="ask")}, "grants": lambda identity: set()}, "not the text 'ask'"),
    ],
)
def test_mistakes_are_named(options: Any, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        guard(Server("x"), **options)


def test_a_server_is_guarded_once() -> None:
    server = MCPServer("once")
    guard(server)

    with pytest.raises(DeclarationError, match="'once' is guarded twice"):
        guard(server)


def test_it_has_to_be_a_server() -> None:
    with pytest.raises(DeclarationError, match="is not a server that Avow knows"):
        guard(object())


@pytest.mark.parametrize("framework", ["official", "fastmcp"])
@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (Feature(tools=("ask", "asks")), "'some' has the tool 'asks', which the server does not have"),
        (Feature(resources=("note://a",)), "'some' has the resource 'note://a'"),
        (Feature(templates=("note://{a}",)), "'some' has the template"),
    ],
)
async def test_a_feature_names_what_there_is(framework: str, feature: Feature, message: str) -> None:
    guarded = guard(bare(framework), features={"some": feature}, grants=lambda identity: {"some"})

    with pytest.raises(DeclarationError, match=message):
        await guarded.check()


async def test_a_server_that_is_in_order_starts() -> None:
    server = bare("lowlevel")
    guarded = guard(server)

    await guarded.check()
    async with server.lifespan(server) as state:
        assert state == {}
    assert guarded.half_open == 0
