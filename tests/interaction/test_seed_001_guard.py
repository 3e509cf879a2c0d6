"""Seed 001, its five patterns, for the server's side: each in both eras and in all three frameworks."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from avow.core.snapshot import Era
from declaring.wire import Json, talk
from hardened.servers import EVERYBODY, FRAMEWORKS, hardened
from hardened.wire import ASKS, call, hello, say, session, tools

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("era", list(Era)),
    pytest.mark.parametrize("framework", FRAMEWORKS),
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]
ADMIN = ("admin",)
FLAGS = {"experimental": {"advancedMode": {"on": True}, "maintenance": {}}}
UNDECLARED = {Era.LEGACY: -32601, Era.MODERN: -32021}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


# 1. Minimal capability declaration


async def test_minimal_declaration(framework: str, era: Era) -> None:
    """Two of the frameworks declare prompts and resources that do not exist, and lists that change."""
    server, _ = hardened(framework)

    async with session(server, era) as wire:
        declared = wire.hello["capabilities"]
        missing = [
            await say(wire, f"{kind}/list") for kind in ("prompts", "resources", "resources/templates")
        ]

    assert declared.keys() - {"logging"} == {"tools"}
    assert declared["tools"] == {"listChanged": False}
    assert [answer["error"]["code"] for answer in missing] == [-32601] * 3


# 2. Explicit feature flags over discovery


async def test_explicit_feature_flags(framework: str, era: Era) -> None:
    """A client that claims the feature is shown, told and given what everybody is."""
    server, _ = hardened(framework)
    boss: Json = {"capabilities": FLAGS, "clientInfo": {"name": "admin", "version": "1"}}

    async with session(server, era, **boss) as claiming:
        shown = await tools(claiming, **boss)
        refused = await call(claiming, "delete_note", boss, name="mine")
    async with session(server, era, scopes=ADMIN) as granted:
        everything = await tools(granted)
        done = await call(granted, "delete_note", name="mine")

    assert shown == EVERYBODY
    assert "experimental" not in claiming.hello["capabilities"]
    assert refused["error"]["code"] == -32602
    assert refused["error"]["data"]["avow"]["reason"] == "not_granted"
    assert everything == sorted([*EVERYBODY, "delete_note"])
    assert granted.hello["capabilities"]["experimental"] == {"advancedMode": {"on": True}}
    assert "deleted mine" in str(done["result"])


# 3. Client capability validation before use


@pytest.mark.parametrize("what", ASKS)
async def test_client_capability_validation(framework: str, era: Era, what: str) -> None:
    """The tool asks a client that declared nothing: nothing reaches it, and the caller hears why."""
    server, _ = hardened(framework)
    ways = ["channel"] if era is Era.LEGACY else ["channel", "result"]

    async with session(server, era) as wire:
        answers = [await call(wire, "ask", what=what, way=way) for way in ways]

    assert [answer["error"]["code"] for answer in answers] == [UNDECLARED[era]] * len(ways)
    assert answers[0]["error"]["data"] == {"requiredCapabilities": {what: {}}}
    assert wire.notifications == []


@pytest.mark.parametrize("what", ASKS)
async def test_a_client_is_asked_for_what_it_declared(framework: str, era: Era, what: str) -> None:
    """In the handshake era in this session; on 2026-07-28 on this request, and on no other."""
    server, _ = hardened(framework)
    claims: Json = {"capabilities": {what: {}}}

    async with session(server, era, **claims) as wire:
        if era is Era.LEGACY:
            await _answer_one(wire, ASKS[what], lambda: call(wire, "ask", what=what))
            return
        asked = await call(wire, "ask", claims, what=what, way="result")
        not_now = await call(wire, "ask", what=what, way="result")

    assert asked["result"]["resultType"] == "input_required"
    assert asked["result"]["inputRequests"]["one"]["method"] == ASKS[what][0]
    assert not_now["error"]["code"] == -32021


async def _answer_one(wire: Any, ask: tuple[str, Json], question: Callable[[], Any]) -> None:
    answers: list[Json] = []

    async def run() -> None:
        answers.append(await question())

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        request = await wire.notification(ask[0])
        await wire.send({"id": request["id"], "result": ask[1]})
    assert "error" not in answers[0], answers


# 4. Downgrade attack detection


async def test_downgrade_detection(framework: str, era: Era) -> None:
    """An unknown version is refused with those that are served; an old one is logged, and costs something."""
    events: list[Json] = []
    server, _ = hardened(framework, on_event=events.append)

    async with talk(server, era, shake_hands=False) as wire:
        if era is Era.MODERN:
            unknown = await say(wire, "tools/list", version="1999-01-01")
            assert unknown["error"]["code"] == -32022
            assert unknown["error"]["data"]["supported"] == ["2026-07-28"]
            return
        unknown = await say(wire, "initialize", hello("1999-01-01"))
        oldest = await say(wire, "initialize", hello("2024-11-05"))
        old = await say(wire, "initialize", hello("2025-03-26"))
        await wire.send({"method": "notifications/initialized"})
        shown, refused = await tools(wire), await call(wire, "ask", what="roots")

    for answer in (unknown, oldest):
        assert answer["error"]["code"] == -32602
        assert answer["error"]["data"]["supported"][-2:] == ["2025-03-26", "2026-07-28"]
    assert old["result"]["protocolVersion"] == "2025-03-26"
    assert shown == ["count_words"]
    assert (refused["error"]["code"], refused["error"]["data"]["avow"]["reason"]) == (-32010, "restricted")
    downgrade = next(one for one in events if one["event"] == "protocol_downgrade")
    assert {key: downgrade[key] for key in ("requested", "agreed", "preferred", "session", "server")} == {
        "requested": "2025-03-26",
        "agreed": "2025-03-26",
        "preferred": "2025-11-25",
        "session": "local-1",
        "server": "hardened",
    }


# 5. Initialization integrity checks


async def test_initialization_integrity(framework: str, era: Era) -> None:
    """Nothing but ping before the session is active; then it is initialized once, and for good."""
    events: list[Json] = []
    server, _ = hardened(framework, on_event=events.append)

    async with talk(server, era, shake_hands=False) as wire:
        if era is Era.MODERN:
            missing = await say(wire, "tools/list", capabilities=None)
            opened = await say(wire, "initialize", hello())
            assert missing["error"]["code"] == -32602
            assert opened["error"]["code"] == -32022
            return
        await wire.send({"method": "notifications/initialized"})
        early = [await say(wire, "tools/list"), await call(wire, "count_words", text="a b")]
        alive = await say(wire, "ping")
        first = await say(wire, "initialize", hello())
        racing = [await say(wire, "tools/list"), await call(wire, "count_words", text="a b")]
        await wire.send({"method": "notifications/initialized"})
        active = await call(wire, "count_words", text="a b")
        again = await say(wire, "initialize", hello())
        await wire.send({"method": "notifications/initialized"})
        still = await call(wire, "count_words", text="a b")

    assert [answer["error"]["code"] for answer in (*early, *racing, again)] == [-32600] * 5
    assert "awaiting_init" in early[0]["error"]["message"]
    assert "init_sent" in racing[0]["error"]["message"]
    assert all("result" in answer for answer in (alive, first, active, still))
    unexpected = [one["phase"] for one in events if one["event"] == "unexpected_initialized"]
    assert unexpected == ["awaiting_init", "active"]
    assert [one["event"] for one in events].count("session_active") == 1
    assert events[-1]["event"] == "session_ended"


async def test_a_call_may_follow_initialized_at_once(framework: str, era: Era) -> None:
    """A client that does not wait after its notification is in time; without a handshake, it always is."""
    server, _ = hardened(framework)

    async with talk(server, era, shake_hands=False) as wire:
        if era is Era.LEGACY:
            await wire.ask("initialize", hello())
            await wire.send({"method": "notifications/initialized"})
        assert "result" in await call(wire, "count_words", text="a b")
