"""Frameworks that bring a session of their own get a guarded transport, or a guarded session."""

import runpy
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, MCPError, StdioServerParameters

from avow.client import CallRefusedError, SignatureCache, guarded_session, guarded_transport
from avow.core.snapshot import Era
from avow.errors import UsageError
from avow.protocol.events import Event
from conversations import ECHO, EVIL, Server, told
from guarding.peers import MODES, PATIENCE, Peer, declaring

pytestmark = pytest.mark.anyio

EXAMPLES = Path(__file__).parents[3] / "examples"


async def test_langchain_lists_and_calls_the_tools_of_a_guarded_server() -> None:
    example = runpy.run_path(str(EXAMPLES / "langchain_guarded.py"))
    server = StdioServerParameters(command=sys.executable, args=[str(EXAMPLES / "notes" / "release_1.py")])
    with anyio.fail_after(30):
        lines = await example["tell"](server)

    assert lines[:2] == ["LangChain sees list_notes, read_note, search_notes", "search_notes found shopping"]
    assert "contract_ready: 3 capabilities, frozen" in lines


async def test_langchain_never_sees_what_was_not_declared() -> None:
    example = runpy.run_path(str(EXAMPLES / "langchain_guarded.py"))
    search = {"name": "search_notes", "description": "Find notes.", "inputSchema": {"type": "object"}}
    peer = declaring(search)
    peer.server.tools = [search, EVIL]
    with anyio.fail_after(30):
        lines = await example["tell"](peer)

    assert lines[0] == "LangChain sees search_notes"
    assert "EVIL" not in "".join(lines)
    assert "capability_outside_contract: nobody approved it: left out" in lines


async def handshake(session: ClientSession, era: Era) -> None:
    await (session.initialize() if era is Era.LEGACY else session.discover())


async def test_refusals_reach_a_session_as_errors_of_the_protocol(era: Era) -> None:
    peer = declaring()
    async with guarded_transport(peer) as (read, write), ClientSession(read, write) as session:
        with anyio.fail_after(PATIENCE):
            await handshake(session, era)
            assert len((await session.list_tools()).tools) == 2
            with pytest.raises(MCPError) as refused:
                await session.call_tool("run_shell", {})
    assert refused.value.code == -32010
    assert refused.value.data["avow"]["reason"] == "not_approved"
    assert "tools/call" not in peer.server.methods()


async def test_news_and_cancellations_pass_through_a_guarded_transport(era: Era) -> None:
    peer, heard = declaring(), anyio.Event()
    peer.server.silent = {"tools/call"}

    async def notice(message: Any) -> None:
        heard.set()

    async with (
        guarded_transport(peer) as (read, write),
        ClientSession(read, write, message_handler=notice) as session,
    ):
        with anyio.fail_after(PATIENCE):
            await handshake(session, era)
            await session.list_tools()
            await peer.say(told("notifications/tools/list_changed"))
            await heard.wait()
            with pytest.raises(MCPError):
                await session.call_tool("echo", {"text": "x"}, read_timeout_seconds=0.2)
            while "notifications/cancelled" not in peer.server.methods():
                await peer.changed.wait()
    cancelled = [m for m in peer.server.saw if m.get("method") == "notifications/cancelled"]
    called = [m for m in peer.server.saw if m.get("method") == "tools/call"]
    assert [m["params"]["requestId"] for m in cancelled] == [m["id"] for m in called]


async def test_a_guarded_transport_recalls_signatures_too(era: Era, tmp_path: Path) -> None:
    for expected in (1, 0):
        peer = declaring()
        async with (
            guarded_transport(peer, name="demo", signature_cache=SignatureCache(tmp_path)) as (read, write),
            ClientSession(read, write) as session,
        ):
            with anyio.fail_after(PATIENCE):
                await handshake(session, era)
                await session.list_tools()
                while not list(tmp_path.glob("*/*.json")):
                    await anyio.sleep(0.01)
        assert peer.server.methods().count("signature") == expected


async def test_a_server_that_ends_ends_the_session_of_the_framework() -> None:
    peer = Peer(Server())
    async with (
        guarded_transport(peer, fallback="reject") as (read, write),
        ClientSession(read, write) as session,
    ):
        with anyio.fail_after(PATIENCE):
            await session.initialize()
            with pytest.raises(MCPError):
                await session.list_tools()


async def test_a_guarded_session_is_ready_for_use(era: Era) -> None:
    events: list[Event] = []
    options: Any = {"mode": MODES[era], "on_event": events.append, "signature_cache": False}
    async with guarded_session(declaring(), **options) as session:
        assert [tool.name for tool in (await session.list_tools()).tools] == ["echo", "get_time"]
        assert not (await session.call_tool("echo", {"text": "x"})).is_error
        with pytest.raises(CallRefusedError):
            await session.call_tool("run_shell", {})
    assert "call_refused" in [event.event for event in events]


async def test_a_word_that_does_not_exist_is_refused_before_anything_happens() -> None:
    wrongs: list[Any] = [{"fallback": "frieze"}, {"on_violation": "ignore"}, {"on_changed": "accept"}]
    for wrong in wrongs:
        with pytest.raises(UsageError):
            async with guarded_transport(declaring(ECHO), **wrong):
                pytest.fail("nobody may get this far")
