"""Availability checks: what they get to know, and what happens when they fail."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import MCPServer

from avow.core.snapshot import Era
from avow.server import AvailabilityContext, declare
from declaring.servers import FRAMEWORKS, server
from declaring.wire import CLIENT, LATEST, talk

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", list(Era))]


def remembering(seen: list[AvailabilityContext]) -> Callable[[AvailabilityContext], bool]:
    """A check that lets everybody pass and remembers them."""

    def check(context: AvailabilityContext) -> bool:
        seen.append(context)
        return True

    return check


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_check_knows_who_asks_and_in_which_protocol(framework: str, era: Era) -> None:
    seen: list[AvailabilityContext] = []
    mcp, avowed = server(framework)
    avowed.restrict("tool", "greet", available=remembering(seen))

    async with talk(mcp, era, scopes=("report", "admin")) as wire:
        await wire.listed()

    (context,) = seen
    assert (context.user, context.subject, context.client_id) == ("ada", "ada", "tester")
    assert context.scopes == {"report", "admin"}
    assert context.claims == {"iss": "us"}
    assert context.client_info == CLIENT
    assert (context.era, context.protocol_version) == (era, LATEST[era])


async def test_without_authorization_nobody_is_anybody(era: Era) -> None:
    seen: list[AvailabilityContext] = []
    mcp, avowed = server("official")
    avowed.restrict("tool", "greet", available=remembering(seen))

    async with talk(mcp, era) as wire:
        await wire.listed()

    assert (seen[0].user, seen[0].client_id, seen[0].scopes, dict(seen[0].claims)) == (
        None,
        None,
        frozenset(),
        {},
    )


async def test_two_connections_of_one_person_look_the_same_to_a_check(era: Era) -> None:
    """So a list cannot differ between them, unless the author goes out of the way for it."""
    seen: list[AvailabilityContext] = []
    mcp, avowed = server("official")
    avowed.restrict("tool", "greet", available=remembering(seen))

    for _ in range(2):
        async with talk(mcp, era, scopes=("report",)) as wire:
            await wire.listed()

    assert seen[0] == seen[1]
    assert not {"connection", "session", "session_id", "request"} & {field.name for field in fields(seen[0])}


async def test_a_check_that_fails_keeps_the_tool_closed(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    mcp, avowed = server("official")
    avowed.restrict("tool", "greet", available=lambda context: bool(1 / 0))

    async with talk(mcp, era) as wire:
        listed = await wire.listed()
        refusal = await wire.error("tools/call", {"name": "greet", "arguments": {"name": "Ada"}})

    assert listed == []
    assert refusal["message"] == "avow: tool 'greet' is not available to you now"
    assert "the availability check of tool 'greet' failed; it stays unavailable" in caplog.text


async def test_under_strict_a_check_that_fails_is_an_error(era: Era) -> None:
    mcp, avowed = server("official", strict=True)
    avowed.restrict("tool", "greet", available=lambda context: bool(1 / 0))

    async with talk(mcp, era) as wire:
        error = await wire.error("tools/list")

    assert error["message"] == "avow: the availability check of tool 'greet' failed: ZeroDivisionError"


async def test_a_list_that_depends_on_who_asks_is_nobody_elses_to_cache(era: Era) -> None:
    mcp: MCPServer[Any] = MCPServer("cached", cache_hints={"tools/list": CacheHint(60_000, "public")})
    avowed = declare(mcp)

    @mcp.tool()
    def greet() -> str:
        return "hello"

    async with talk(mcp, era) as wire:
        public = await wire.result("tools/list")
    avowed.restrict("tool", "greet", available=lambda context: True)
    async with talk(mcp, era) as wire:
        private = await wire.result("tools/list")

    if era is Era.MODERN:
        assert public["cacheScope"] == "public"
        assert (private["cacheScope"], private["ttlMs"]) == ("private", 60_000)
    else:
        assert "cacheScope" not in private
