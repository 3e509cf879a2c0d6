"""Sessions: those that wait too long or are too many are ended, and nothing is left of any."""

import asyncio
import gc
import logging
import tracemalloc

import pytest
from mcp.server.connection import Connection

from avow.core.snapshot import Era
from avow.protocol.gate.session import Phase
from avow.server import guard
from avow.server.guard.phases import LARGEST_INITIALIZE
from avow.server.guard.sessions import Session, Sessions
from avow.server.seam import Request, end_connection
from declaring.wire import Json, talk
from hardened.http import post
from hardened.servers import FRAMEWORKS, bare, hardened
from hardened.wire import hello, say

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Noted(Sessions):
    def __init__(self, most: int, seconds: float) -> None:
        self.dropped: list[tuple[str, int]] = []
        self.ended: list[Session] = []
        self.clock = Clock()
        super().__init__(
            most=most,
            seconds=seconds,
            on_dropped=lambda session, why, number: self.dropped.append((why, number)),
            on_ended=self.ended.append,
            clock=self.clock,
        )


def first_message(number: int) -> Request:
    """The first message on a new connection over HTTP."""
    connection = Connection.for_loop(None, session_id=f"{number:032}")  # type: ignore[arg-type]
    request = Request("initialize", {}, "2025-11-25", None)  # type: ignore[arg-type]
    request.__dict__["connection"] = connection
    return request


async def test_the_oldest_make_room() -> None:
    sessions = Noted(most=2, seconds=60)
    requests = [first_message(number) for number in range(4)]
    opened = []
    for request in requests:
        opened.append(sessions.open(request))
        sessions.clock.now += 0.5

    assert sessions.half_open == 2
    assert sessions.dropped == [("too many sessions are open halfway", 1)]
    sessions.open(first_message(4))
    assert sessions.dropped[1:] == [("too many sessions are open halfway", 2)]
    assert sessions.open(requests[3]) is opened[3]
    sessions.finished(requests[3])
    assert sessions.half_open == 1
    for request in requests:
        await request.connection.exit_stack.aclose()
    assert [session.phase for session in sessions.ended] == [Phase.TERMINATED] * 4


async def test_a_handshake_may_not_take_forever() -> None:
    sessions = Noted(most=10, seconds=60)
    sessions.open(first_message(1))
    sessions.clock.now = 61.0
    sessions.open(first_message(2))

    assert sessions.half_open == 1
    assert sessions.dropped == [("its handshake took too long", 1)]


async def test_a_log_does_not_let_its_reader_in() -> None:
    session = Noted(most=1, seconds=1).open(first_message(7))

    assert f"{7:032}" not in session.handle
    assert len(session.handle) == 16


def test_a_connection_without_tasks_cannot_be_ended() -> None:
    assert end_connection(Connection.from_envelope("2026-07-28", None, None)) is False


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_an_initialize_may_not_be_large(framework: str) -> None:
    """The SDK keeps it as long as the session lives."""
    server, _ = hardened(framework)
    claims = {"experimental": {"padding": {"text": "x" * LARGEST_INITIALIZE}}}

    async with talk(server, Era.LEGACY, shake_hands=False) as wire:
        answer = await say(wire, "initialize", hello(capabilities=claims))
        then = await say(wire, "initialize", hello())

    assert answer["error"]["code"] == -32602
    assert "result" in then


async def test_notifications_before_the_session_is_active_are_dropped() -> None:
    events: list[Json] = []
    server, _ = hardened("lowlevel", on_event=events.append)

    async with talk(server, Era.LEGACY, shake_hands=False) as wire:
        await wire.send({"method": "notifications/roots/list_changed"})
        await wire.send({"method": "notifications/cancelled", "params": {"requestId": 9}})
        await say(wire, "ping")
    async with talk(server, Era.MODERN) as wire:
        await wire.send({"method": "notifications/initialized"})
        await say(wire, "tools/list")

    assert [(one["event"], one.get("name")) for one in events if one["severity"] != "info"] == [
        ("phase_violation", "notifications/roots/list_changed"),
        ("unexpected_initialized", "notifications/initialized"),
    ]


# Over HTTP, without a socket


async def test_a_flood_of_half_open_sessions_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """Without a bound the SDK would keep each of them for half an hour."""
    # What the test itself remembers of the log is not what the server remembers.
    caplog.set_level(logging.CRITICAL)
    for logger in ("avow.server", "mcp"):
        caplog.set_level(logging.CRITICAL, logger)
    server = bare("lowlevel")
    guarded = guard(server, max_half_open=20)
    app = server.streamable_http_app()
    opening = {"id": 1, "method": "initialize", "params": hello()}
    async with server.session_manager.run():
        for _ in range(50):
            await post(app, opening)
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(400):
            status, _, _ = await post(app, opening)
            assert status == 200
        await asyncio.sleep(0.1)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        kept = len(server.session_manager._server_instances)

    assert guarded.half_open <= 20
    assert kept <= 21
    assert after - before < 1_000_000
    assert guarded.half_open == 0


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_transport_without_sessions_cannot_prove_a_handshake(allowed: bool) -> None:
    """Requests of the handshake era are refused there, unless the author accepts it; 2026-07-28 works."""
    server, _ = hardened("lowlevel", allow_sessionless=allowed)
    app = server.streamable_http_app(stateless_http=True)
    async with server.session_manager.run():
        opened = await post(app, {"id": 1, "method": "initialize", "params": hello()})
        listed = await post(app, {"id": 2, "method": "tools/list"}, mcp_protocol_version="2025-11-25")
        old = await post(app, {"id": 3, "method": "tools/list"})
        await post(app, {"method": "notifications/initialized"}, mcp_protocol_version="2025-11-25")

    for status, answer, _ in (opened, listed):
        assert status == 200
        assert ("result" in answer) is allowed
    if allowed:
        assert [tool["name"] for tool in listed[1]["result"]["tools"]] == ["ask", "count_words"]
        # Without a header it is 2025-03-26, which lies below the baseline.
        assert [tool["name"] for tool in old[1]["result"]["tools"]] == ["count_words"]
    else:
        assert listed[1]["error"]["code"] == -32600


async def test_without_sessions_too_header_and_request_name_one_version() -> None:
    server, _ = hardened("lowlevel", allow_sessionless=True)
    app = server.streamable_http_app(stateless_http=True)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    async with server.session_manager.run():
        _, answer, _ = await post(
            app,
            {"id": 1, "method": "tools/list", "params": {"_meta": meta}},
            mcp_protocol_version="2025-11-25",
        )

    assert answer["error"]["code"] == -32600


async def test_below_the_minimum_no_session_is_needed_to_be_refused() -> None:
    server, _ = hardened("lowlevel", allow_sessionless=True, minimum="2025-06-18")
    app = server.streamable_http_app(stateless_http=True)
    async with server.session_manager.run():
        _, answer, _ = await post(app, {"id": 3, "method": "tools/list"})

    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_what_the_sdk_cannot_read_ends_no_handshake(framework: str) -> None:
    events: list[Json] = []
    server, _ = hardened(framework, on_event=events.append)

    async with talk(server, Era.LEGACY, shake_hands=False) as wire:
        await say(wire, "initialize", hello())
        await wire.send({"method": "notifications/initialized", "params": {"_meta": 5}})
        early = await say(wire, "tools/list")
        await wire.send({"method": "notifications/initialized", "params": {"_meta": {"a": 1}}})
        active = await say(wire, "tools/list")

    assert early["error"]["code"] == -32600
    assert "result" in active
    assert "message_refused" in [one["event"] for one in events]
