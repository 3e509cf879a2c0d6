"""Telling clients of changes: who hears what, and what stays as it was."""

from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus

from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import declare
from declaring.servers import FRAMEWORKS, is_admin, server
from declaring.wire import HELLO, talk

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_subscriber_hears_only_what_it_asked_for(framework: str) -> None:
    mcp, avowed = server(framework)

    async with talk(mcp, Era.MODERN) as wire:
        await wire.ask("subscriptions/listen", {"notifications": {"promptsListChanged": True}})
        await wire.notification("notifications/subscriptions/acknowledged")
        await avowed.availability_changed()
        await wire.notification("notifications/prompts/list_changed")
        await wire.listed()

    methods = [one["method"] for one in wire.notifications]
    assert methods == ["notifications/subscriptions/acknowledged", "notifications/prompts/list_changed"]


async def test_only_kinds_with_checks_change() -> None:
    mcp = MCPServer("tools only", log_level="CRITICAL")
    avowed = declare(mcp)

    @avowed.possible_tool(available=is_admin)
    def admin_dashboard() -> str:
        return "42 users"

    async with talk(mcp, Era.LEGACY) as wire:
        await wire.listed()
        await avowed.availability_changed()
        await wire.notification("notifications/tools/list_changed")
        await wire.listed()

    assert len(wire.notifications) == 1
    assert wire.hello["capabilities"]["tools"]["listChanged"] is True
    assert wire.hello["capabilities"]["prompts"]["listChanged"] is False


async def test_the_authors_own_bus_carries_the_news() -> None:
    bus = InMemorySubscriptionBus()
    heard: list[Any] = []
    bus.subscribe(heard.append)
    mcp = MCPServer("bus", subscriptions=bus)
    avowed = declare(mcp)

    await avowed.availability_changed("tool")

    assert [type(event).__name__ for event in heard] == ["ToolsListChanged"]


async def test_nobody_listens_where_the_author_said_so() -> None:
    mcp = MCPServer("quiet", subscriptions=False)
    avowed = declare(mcp)

    @avowed.possible_tool(available=is_admin)
    def admin_dashboard() -> str:
        return "42 users"

    await avowed.availability_changed()
    async with talk(mcp, Era.MODERN) as wire:
        error = await wire.error("subscriptions/listen", {"notifications": {"toolsListChanged": True}})

    assert error["message"] == "Method not found"
    assert wire.hello["capabilities"]["tools"]["listChanged"] is False


async def test_a_client_that_is_not_ready_is_not_told() -> None:
    mcp, avowed = server("official")

    async with talk(mcp, Era.LEGACY, shake_hands=False) as wire:
        await wire.result("initialize", HELLO)
        await avowed.availability_changed()
        await wire.result("ping")
        assert wire.notifications == []


async def test_those_who_left_are_forgotten() -> None:
    mcp, avowed = server("official")

    async with talk(mcp, Era.LEGACY) as wire:
        await wire.listed()
    with anyio.fail_after(2):
        await avowed.availability_changed()

    assert wire.notifications == []


@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_a_plugin_reaches_a_session_when_it_asks_and_new_sessions_at_once(framework: str) -> None:
    """The notification only tells: the contract stays until the client asks again."""
    mcp, avowed = server(framework)

    async with talk(mcp, Era.LEGACY) as old:
        before = await old.result("signature")
        async with avowed.changing():
            mcp.tool()(plugged)
        await old.notification("notifications/signature/changed")

        kept = await old.listed()
        refusal = await old.error("tools/call", {"name": "plugged", "arguments": {}})
        async with talk(mcp, Era.LEGACY) as new:
            assert await new.listed() == ["greet", "plugged"]
            assert await new.result("tools/call", {"name": "plugged", "arguments": {}})
        after = await old.result("signature", {"knownDigest": before["digest"]})
        moved = await old.listed()

    assert kept == ["greet"]
    assert "not in the signature" in refusal["message"]
    assert after["digest"] == new.hello["capabilities"]["signature"]["digest"] != before["digest"]
    assert moved == ["greet", "plugged"]


@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_on_2026_07_28_the_signature_lives_as_long_as_the_process(
    framework: str, caplog: pytest.LogCaptureFixture
) -> None:
    mcp, avowed = server(framework, strict=True)

    async with talk(mcp, Era.MODERN) as wire:
        before = await wire.result("signature")
        async with avowed.changing():
            mcp.tool()(plugged)
        after = await wire.result("signature")
        listed = await wire.listed()
    async with talk(mcp, Era.MODERN) as other:
        found = other.hello["capabilities"]["signature"]["digest"]

    assert after == before
    assert found == before["digest"]
    assert listed == ["greet"]
    assert wire.notifications == []
    assert "does not have" not in caplog.text


async def test_after_a_change_nothing_new_can_be_registered_again() -> None:
    mcp, avowed = server("official")
    async with avowed.changing():
        mcp.tool()(plugged)

    async with talk(mcp, Era.LEGACY):
        with pytest.raises(DeclarationError, match="late"):
            mcp.add_tool(plugged, "late")


def plugged() -> str:
    """Do what a plugin does."""
    return "plugged in"
