"""What the proposal for capability signatures asks of clients, requirement by requirement, in both eras."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from avow.client import AnswerRefusedError, CallRefusedError, GuardedClient, NoSignatureError
from avow.core.capability import Kind
from avow.core.contract import ContractSource
from avow.core.risk import Level
from avow.core.snapshot import Era
from conversations import ECHO, EVIL, TIME, Json, Server, told
from guarding.peers import MODES, PATIENCE, Peer, declaring

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", list(Era))]

ADMIN: Json = {
    "name": "admin_dashboard",
    "description": "Delete any user account.",
    "inputSchema": {"type": "object"},
    "requiredScopes": ["admin:write"],
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def guarded(peer: Peer, era: Era, **options: Any) -> GuardedClient:
    return GuardedClient(peer, mode=MODES[era], **{"signature_cache": False, **options})


async def names(client: GuardedClient) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]


async def test_client_behavior_1_the_signature_is_called_for_after_the_handshake(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        handshake = {
            Era.LEGACY: ["initialize", "notifications/initialized"],
            Era.MODERN: ["server/discover"],
        }
        assert peer.server.methods() == [*handshake[era], "signature"]
        assert client.contract.source is ContractSource.DECLARED


async def test_client_behavior_2_trust_decisions_are_made_on_the_signature(era: Era) -> None:
    """A tool that nobody can see now counts; one that is not in the signature never reaches the server."""
    peer = declaring(ECHO, ADMIN)
    peer.server.tools = [ECHO]
    async with guarded(peer, era) as client:
        known = client.permissions()
        assert known.scopes == {"admin:write"}
        assert known.tools["admin_dashboard"].risk.level is Level.HIGH
        assert await names(client) == ["echo"]

        with pytest.raises(CallRefusedError) as refused:
            await client.call_tool("run_shell", {"command": "rm -rf /"})
        assert (refused.value.reason, refused.value.kind, refused.value.name) == (
            "not_approved",
            "tool",
            "run_shell",
        )
        assert "tools/call" not in peer.server.methods()


async def test_client_behavior_3_lists_with_something_undeclared_are_refused(era: Era) -> None:
    peer = declaring()
    peer.server.tools = [ECHO, EVIL]
    async with guarded(peer, era) as client:
        with pytest.raises(AnswerRefusedError) as refused:
            await client.list_tools()
        assert refused.value.name == "run_shell"
        assert "EVIL" not in str(refused.value)


async def test_client_behavior_3_on_every_page_and_for_every_kind(era: Era) -> None:
    peer = declaring()
    peer.server.tools, peer.server.page_size = [ECHO, TIME, EVIL], 1
    peer.server.prompts = [{"name": "undeclared"}]
    async with guarded(peer, era) as client:
        page = await client.list_tools()
        page = await client.list_tools(cursor=page.next_cursor)
        with pytest.raises(AnswerRefusedError):
            await client.list_tools(cursor=page.next_cursor)
        with pytest.raises(AnswerRefusedError):
            await client.list_prompts()


async def test_client_behavior_4_lists_may_be_any_subset(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        for tools in ([], [TIME], [TIME, ECHO]):
            peer.server.tools = tools
            assert await names(client) == [tool["name"] for tool in tools]
        assert not (await client.call_tool("echo", {"text": "x"})).is_error


async def test_fallback_behavior_1_the_first_lists_may_be_frozen(era: Era) -> None:
    peer = Peer(Server())
    async with guarded(peer, era, fallback="freeze") as client:
        assert client.contract.source is ContractSource.FROZEN
        assert set(client.signature.of_kind(Kind.TOOL)) == {"echo", "get_time"}
        peer.server.tools = [ECHO, EVIL]
        with pytest.raises(AnswerRefusedError):
            await client.list_tools()
        with pytest.raises(CallRefusedError):
            await client.call_tool("run_shell", {})


async def test_fallback_behavior_2_a_server_without_a_signature_may_be_rejected(era: Era) -> None:
    peer = Peer(Server())
    with anyio.fail_after(PATIENCE), pytest.raises(NoSignatureError):
        async with guarded(peer, era, fallback="reject"):
            pytest.fail("nobody may get this far")
    assert "tools/list" not in peer.server.methods()

    async with guarded(declaring(), era, fallback="reject") as client:
        assert await names(client) == ["echo", "get_time"]


async def test_fallback_behavior_3_or_used_without_any_constraint(era: Era) -> None:
    peer = Peer(Server())
    async with guarded(peer, era, fallback="open") as client:
        peer.server.tools = [EVIL]
        assert await names(client) == ["run_shell"]
        assert not (await client.call_tool("run_shell", {})).is_error


async def test_reference_implementation_3_signatures_are_cached_and_validated(
    era: Era, tmp_path: Path
) -> None:
    for expected in (1, 0):
        peer = declaring()
        async with guarded(peer, era, name="demo", signature_cache=tmp_path) as client:
            assert await names(client) == ["echo", "get_time"]
        assert peer.server.methods().count("signature") == expected

    peer = declaring(ECHO, advertised={})
    async with guarded(peer, era, name="demo", signature_cache=tmp_path) as client:
        assert await names(client) == ["echo"]
    told_known = [message["params"] for message in peer.server.saw if message.get("method") == "signature"]
    assert [params["knownDigest"].startswith("sha256:") for params in told_known] == [True]


async def test_reference_implementation_4_a_changed_list_is_checked_again(era: Era) -> None:
    """The server says that its list has changed: it is compared at once, though nobody asks for it."""
    peer, found = declaring(), anyio.Event()

    def hear(event: Any) -> None:
        if event.event == "capability_outside_contract" and event.name == "run_shell":
            found.set()

    async with guarded(peer, era, on_event=hear) as client:
        assert await names(client) == ["echo", "get_time"]
        peer.server.tools = [EVIL, {**ECHO, "description": "EVIL"}, TIME]
        await peer.say(told("notifications/tools/list_changed"))
        with anyio.fail_after(PATIENCE):
            await found.wait()

        with pytest.raises(CallRefusedError) as refused:
            await client.call_tool("echo", {"text": "x"})
        assert refused.value.reason == "changed"
        assert not (await client.call_tool("get_time", {})).is_error
