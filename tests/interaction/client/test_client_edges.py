"""What seldom happens: servers that ask too much, go away or answer nonsense, and clients that give up."""

from typing import Any, Literal

import anyio
import pytest
from mcp import MCPError
from mcp.client.caching import CacheConfig
from mcp_types import (
    CONNECTION_CLOSED,
    CancelledNotification,
    CancelledNotificationParams,
    Request,
    RequestParams,
    Result,
    SamplingMessage,
    TextContent,
)

from avow.client import AnswerRefusedError, GuardedClient, SignatureUnusableError
from avow.core.snapshot import Era
from conversations import ECHO, Json, Server, asked, told
from guarding.peers import MODES, PATIENCE, Peer, declaring

pytestmark = pytest.mark.anyio


class SignatureParams(RequestParams):
    knownDigest: str | None = None


class SignatureRequest(Request[SignatureParams, Literal["signature"]]):
    method: Literal["signature"] = "signature"


class AnyResult(Result, extra="allow"):
    pass


def guarded(peer: Any, era: Era, **options: Any) -> GuardedClient:
    return GuardedClient(peer, mode=MODES[era], **{"signature_cache": False, **options})


async def test_the_contract_can_be_read_as_a_signature(era: Era) -> None:
    """Of a server that has none, the gate answers itself."""
    async with guarded(Peer(Server()), era) as client:
        result = await client.session.send_request(SignatureRequest(params=SignatureParams()), AnyResult)
        assert (result.model_extra or {})["digest"] == client.signature.digest


async def test_a_server_is_shown_nothing_that_the_client_did_not_declare() -> None:
    """It asks for a sample of a client that gives none: the gate answers, nobody hears of it."""
    peer = declaring()
    message = SamplingMessage(role="user", content=TextContent(type="text", text="x"))
    params: Json = {"messages": [message.model_dump(mode="json")], "maxTokens": 1}
    async with guarded(peer, Era.LEGACY):
        with anyio.fail_after(PATIENCE):
            await peer.say(asked("sampling/createMessage", 5, **params))
            await peer.say(asked("ping", 6))
            while len(answers(peer)) < 2:
                await peer.changed.wait()
    assert answers(peer)[5]["error"]["code"] == -32601
    assert answers(peer)[6]["result"] == {}


async def test_what_a_callback_refuses_is_refused() -> None:
    async def refuse(context: Any, params: Any) -> Any:
        raise MCPError(-1, "not today")

    peer = declaring()
    schema: Json = {"type": "object", "properties": {}}
    async with guarded(peer, Era.LEGACY, elicitation_callback=refuse):
        with anyio.fail_after(PATIENCE):
            await peer.say(asked("elicitation/create", 5, message="x", requestedSchema=schema))
            while not answers(peer):
                await peer.changed.wait()
    assert answers(peer)[5]["error"]["message"] == "not today"


def answers(peer: Peer) -> dict[Any, Json]:
    return {message["id"]: message for message in peer.server.saw if "method" not in message}


async def test_a_notification_that_two_readers_could_understand_differently_is_dropped() -> None:
    peer = declaring()
    async with guarded(peer, Era.LEGACY) as client:
        await peer.say(told("notifications/cancelled", requestId=1, RequestId=2))
        assert not (await client.call_tool("echo", {"text": "x"})).is_error


async def test_one_that_nobody_can_judge_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    """A server object in this process could say something that is not even JSON."""
    async with guarded(declaring(), Era.MODERN) as client:
        is_withheld = client._connection._told(None, "notifications/message", {"data": object()})
    assert is_withheld
    assert "could not be judged" in caplog.text


async def test_a_server_that_goes_away_leaves_nobody_waiting(era: Era) -> None:
    peer = declaring()
    peer.server.silent = {"tools/call", "tools/list"}
    async with guarded(peer, era) as client, anyio.create_task_group() as tasks:
        for name in ("echo", "get_time"):
            tasks.start_soon(failing, client, name)
        await anyio.sleep(0.05)
        with anyio.fail_after(PATIENCE):
            await peer.hang_up()


async def failing(client: GuardedClient, name: str) -> None:
    with pytest.raises(MCPError):
        await client.call_tool(name, {"text": "x"})


async def test_one_that_goes_away_before_there_is_a_contract_makes_none(era: Era) -> None:
    peer = declaring()
    peer.server.silent = {"signature"}

    async def leave() -> None:
        while "signature" not in peer.server.methods():
            await peer.changed.wait()
        await peer.hang_up()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(leave)
        with (
            anyio.fail_after(PATIENCE),
            pytest.raises(SignatureUnusableError, match="the connection has ended"),
        ):
            async with guarded(peer, era):
                pytest.fail("nobody may get this far")


async def test_a_presentation_that_can_be_read_in_two_ways_is_none() -> None:
    peer = declaring()
    peer.server.answers["initialize"] = lambda params: {
        "result": {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {},
            "Capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"},
        }
    }
    with anyio.fail_after(PATIENCE), pytest.raises(AnswerRefusedError) as refused:
        async with guarded(peer, Era.LEGACY):
            pytest.fail("nobody may get this far")
    assert refused.value.reason == "malformed"


async def test_an_error_that_can_be_read_in_two_ways_is_replaced(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        peer.server.answers["tools/call"] = lambda _: {
            "error": {"code": -5, "message": "x", "data": {"Elicitations": [], "elicitations": []}}
        }
        with pytest.raises(AnswerRefusedError):
            await client.call_tool("echo", {"text": "x"})


async def test_whoever_gives_up_while_connecting_leaves_nothing_behind(era: Era) -> None:
    peer = declaring()
    peer.server.silent = {"signature"}
    with anyio.move_on_after(0.2) as scope:
        async with guarded(peer, era):
            pytest.fail("nobody may get this far")
    assert scope.cancelled_caught


async def test_what_a_transport_cannot_read_reaches_the_message_handler() -> None:
    heard: list[Any] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    peer = declaring()
    async with guarded(peer, Era.LEGACY, message_handler=hear, cache=CacheConfig()) as client:
        await peer.say_item(ValueError("no JSON"))
        await client.call_tool("echo", {"text": "x"})
    assert [str(item) for item in heard if isinstance(item, ValueError)] == ["no JSON"]


async def test_a_request_that_was_given_up_while_it_was_held_is_never_sent(era: Era) -> None:
    """Nor is its cancellation: the server knows of no such request, and might take it for another."""
    peer = declaring()
    async with guarded(peer, era) as client:
        peer.server.silent = {"tools/list"}
        with anyio.move_on_after(0.1):
            await client.call_tool("echo", {"text": "given up"})
        question = next(m for m in peer.server.saw if m.get("method") == "tools/list")
        peer.server.silent = set()
        listed: Json = {"tools": [ECHO], "ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
        await peer.say({"jsonrpc": "2.0", "id": question["id"], "result": listed})
        with anyio.fail_after(PATIENCE):
            await client.call_tool("echo", {"text": "sent"})
    called = [m["params"]["arguments"]["text"] for m in peer.server.saw if m.get("method") == "tools/call"]
    assert called == ["sent"]
    assert "notifications/cancelled" not in peer.server.methods()


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
async def test_a_session_says_what_it_likes_and_closed_ones_say_so(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        await client.session.send_notification(
            CancelledNotification(params=CancelledNotificationParams(request_id=999))
        )
        await client.list_tools()
        assert "notifications/cancelled" in peer.server.methods()
        await peer.hang_up()
        await anyio.sleep(0.05)
        with pytest.raises(MCPError) as over:
            await client.call_tool("echo", {"text": "x"})
        assert over.value.code == CONNECTION_CLOSED


async def test_a_cancelled_request_may_still_be_answered(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        await client.list_tools()
        peer.server.silent = {"tools/call"}
        with anyio.move_on_after(0.1):
            await client.call_tool("echo", {"text": "x"})
        late = next(m for m in peer.server.saw if m.get("method") == "tools/call")
        await peer.say({"jsonrpc": "2.0", "id": late["id"], "result": {"content": []}})
        peer.server.silent = set()
        assert not (await client.call_tool("echo", {"text": "x"})).is_error


async def test_a_server_object_that_returns_what_json_does_not_have_is_not_believed(era: Era) -> None:
    strange = {**ECHO, "x": float("nan")}
    peer = declaring()
    peer.server.tools = [strange]
    async with guarded(peer, era) as client:
        with pytest.raises(AnswerRefusedError) as refused:
            await client.list_tools()
        assert refused.value.reason == "malformed"
