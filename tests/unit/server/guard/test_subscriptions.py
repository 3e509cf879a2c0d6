"""Subscriptions end with the grant that they were made with, without a word."""

from typing import Any

import anyio
import mcp_types
import pytest
from fastmcp import FastMCP
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.subscriptions import ResourceUpdated

from avow.core.snapshot import Era
from avow.server import Feature, Identity, guard
from avow.server.seam import lowlevel_of, serve_subscriptions, subscriptions_of
from declaring.wire import PATIENCE, Json, Wire, talk

pytestmark = pytest.mark.anyio
UPDATED = "notifications/resources/updated"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SECRETS = ["notes://secret", "notes://drawer/1"]
MINE = Feature(resources=("notes://secret",), templates=("notes://drawer/{number}",))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Boss:
    """Somebody who gives and takes."""

    def __init__(self) -> None:
        self.is_generous = True

    def grants(self, who: Identity) -> set[str]:
        return {"mine"} if self.is_generous and "admin" in who.scopes else set()


def told(wire: Wire) -> list[str]:
    return [one["params"]["uri"] for one in wire.notifications if one["method"] == UPDATED]


async def heard(wire: Wire, times: int) -> None:
    """Wait for the news that everybody may hear, which come last."""
    with anyio.fail_after(PATIENCE):
        while told(wire).count("notes://open") < times:
            await wire._news.wait()


def notes(framework: str) -> Any:
    mcp: Any = FastMCP("notes") if framework == "fastmcp" else MCPServer("notes", log_level="CRITICAL")

    @mcp.resource("notes://open")  # type: ignore[untyped-decorator]
    def opened() -> str:
        return "everybody's"

    @mcp.resource("notes://secret")  # type: ignore[untyped-decorator]
    def secret() -> str:
        return "ours"

    @mcp.resource("notes://drawer/{number}")  # type: ignore[untyped-decorator]
    def drawer(number: str) -> str:
        return number

    serve_subscriptions(lowlevel_of(mcp))
    return mcp


@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_a_stream_of_news_keeps_to_the_grants_of_the_moment(framework: str) -> None:
    server, boss = notes(framework), Boss()
    guard(server, features={"mine": MINE}, grants=boss.grants, subscribe=True)
    bus = subscriptions_of(lowlevel_of(server))
    assert bus is not None

    async with talk(server, Era.MODERN, scopes=("admin",)) as wire:
        wanted: Json = {"resourceSubscriptions": [*SECRETS, "notes://open"]}
        await wire.ask("subscriptions/listen", {"notifications": wanted})
        await wire.notification(ACKNOWLEDGED)
        await bus.publish(ResourceUpdated(uri="notes://secret"))
        await wire.notification(UPDATED)
        boss.is_generous = False
        for uri in (*SECRETS, "notes://open"):
            await bus.publish(ResourceUpdated(uri=uri))
        await heard(wire, 1)

        assert told(wire) == ["notes://secret", "notes://open"]


def lowlevel() -> Any:
    """A server of the handshake era, which tells of changes when its tool is called."""
    names = ["notes://open", *SECRETS]

    async def list_resources(context: Any, params: Any) -> mcp_types.ListResourcesResult:
        listed = [mcp_types.Resource(uri=uri, name=uri) for uri in names[:2]]
        return mcp_types.ListResourcesResult(resources=listed)

    async def read_resource(context: Any, params: Any) -> mcp_types.ReadResourceResult:
        return mcp_types.ReadResourceResult(contents=[])

    async def subscribe(context: Any, params: Any) -> mcp_types.EmptyResult:
        return mcp_types.EmptyResult()

    async def list_tools(context: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(
            tools=[mcp_types.Tool(name="touch", input_schema={"type": "object"})]
        )

    async def touch(context: Any, params: Any) -> mcp_types.CallToolResult:
        for uri in reversed(names):
            await context.session.send_resource_updated(uri)
        return mcp_types.CallToolResult(content=[])

    server: Server[Any] = Server(
        "notes",
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_subscribe_resource=subscribe,
        on_unsubscribe_resource=subscribe,
        on_list_tools=list_tools,
        on_call_tool=touch,
    )
    return server


async def test_a_session_keeps_to_the_grants_of_the_moment() -> None:
    server, boss = lowlevel(), Boss()
    guard(server, features={"mine": MINE}, grants=boss.grants)

    async with talk(server, Era.LEGACY, scopes=("admin",)) as wire:
        for uri in SECRETS:
            await wire.result("resources/subscribe", {"uri": uri})
        await wire.result("tools/call", {"name": "touch"})
        await heard(wire, 1)
        assert told(wire) == [*reversed(SECRETS), "notes://open"]

        boss.is_generous = False
        await wire.result("tools/call", {"name": "touch"})
        await heard(wire, 2)

        assert told(wire)[3:] == ["notes://open"]
