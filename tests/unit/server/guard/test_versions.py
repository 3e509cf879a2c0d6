"""Versions: counter-offers, lines that are drawn, and what lies below them."""

from typing import Any

import pytest

from avow.core.snapshot import Era
from declaring.wire import Json, talk
from hardened.servers import FRAMEWORKS, hardened
from hardened.wire import call, hello, say, tools

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("framework", FRAMEWORKS)]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def opened(server: Any, version: str) -> tuple[Json, list[str]]:
    async with talk(server, Era.LEGACY, shake_hands=False) as wire:
        answer = await say(wire, "initialize", hello(version))
        if "error" in answer:
            return answer, []
        await wire.send({"method": "notifications/initialized"})
        return answer, await tools(wire)


@pytest.mark.parametrize("requested", ["1999-01-01", "2024-11-05", "2026-07-28", "2025-11-05"])
async def test_a_counter_offer_holds_for_the_whole_session(framework: str, requested: str) -> None:
    """The SDK settles on the offer, too, and what was offered is not below any line."""
    server, _ = hardened(framework, unknown_versions="counter-offer", preferred="2025-06-18")

    answer, shown = await opened(server, requested)

    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert shown == ["ask", "count_words"]


@pytest.mark.parametrize("requested", ["1999-01-01", "2026-07-28"])
async def test_without_a_preference_the_newest_is_offered(framework: str, requested: str) -> None:
    server, _ = hardened(framework, unknown_versions="counter-offer", preferred="2026-07-28")

    answer, _ = await opened(server, requested)

    assert answer["result"]["protocolVersion"] == "2025-11-25"


async def test_the_handshake_era_can_be_closed(framework: str) -> None:
    """With a minimum of 2026-07-28 there is nothing to counter-offer; the error says what is served."""
    server, _ = hardened(framework, minimum="2026-07-28", unknown_versions="counter-offer")

    answer, _ = await opened(server, "2025-11-25")

    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    async with talk(server, Era.MODERN) as wire:
        assert await tools(wire) == ["ask", "count_words"]


@pytest.mark.parametrize(
    ("controls", "shown"), [("restrict", ["count_words"]), ("log", ["ask", "count_words"])]
)
async def test_controls_below_the_baseline(framework: str, controls: str, shown: list[str]) -> None:
    events: list[Json] = []
    server, _ = hardened(framework, controls=controls, minimum=None, on_event=events.append)

    answer, listed = await opened(server, "2024-11-05")

    assert answer["result"]["protocolVersion"] == "2024-11-05"
    assert listed == shown
    below = next(one for one in events if one["event"] == "protocol_below_baseline")
    assert (below["baseline"], below["agreed"]) == ("2025-06-18", "2024-11-05")


async def test_rejecting_below_the_baseline(framework: str) -> None:
    server, _ = hardened(framework, controls="reject")

    answer, _ = await opened(server, "2025-03-26")

    assert answer["error"]["code"] == -32602
    assert "2025-03-26" not in answer["error"]["data"]["supported"]


async def test_a_server_of_risky_tools_only_declares_none_below_the_baseline(framework: str) -> None:
    """What nobody may use is not declared; the same session may try again with a newer version."""
    server, _ = hardened(framework, features=None, grants=None)
    await _without(server, framework, "count_words")

    async with talk(server, Era.LEGACY, shake_hands=False) as wire:
        answer = await say(wire, "initialize", hello("2025-03-26"))
        await wire.send({"method": "notifications/initialized"})
        refused = await call(wire, "ask", what="roots")

    assert ("tools" in answer["result"]["capabilities"]) is (framework == "lowlevel")
    assert refused["error"]["code"] == (-32010 if framework == "lowlevel" else -32601)


async def _without(server: Any, framework: str, tool: str) -> None:
    if framework == "official":
        server.remove_tool(tool)
    elif framework == "fastmcp":
        server.local_provider.remove_tool(tool)


async def test_an_initialize_without_a_version_is_the_sdks_to_refuse(framework: str) -> None:
    server, _ = hardened(framework)

    async with talk(server, Era.LEGACY, shake_hands=False) as wire:
        answer = await say(wire, "initialize", {"capabilities": {}})

    assert answer["error"]["code"] == -32602
