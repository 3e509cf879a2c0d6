"""Servers that mean harm: a typed error, soon, and the connection held to the last good contract or over."""

import time
from contextlib import suppress
from typing import Any

import anyio
import pytest
from mcp import MCPError

from avow.client import (
    AnswerRefusedError,
    CallRefusedError,
    GuardedClient,
    SignatureTimeoutError,
    SignatureUnusableError,
)
from avow.core.snapshot import Era
from conversations import ECHO, EVIL, TIME, Json, Server, told
from guarding.peers import MODES, PATIENCE, Peer, declaration, declaring

pytestmark = pytest.mark.anyio

OTHER = "sha256:" + "0" * 64
CATASTROPHE = "^(a+)+$"


def guarded(peer: Peer, era: Era, **options: Any) -> GuardedClient:
    return GuardedClient(peer, mode=MODES[era], **{"signature_cache": False, **options})


def tools(count: int, size: int = 0) -> list[Json]:
    return [{"name": f"t{n}", "description": "x" * size, "inputSchema": {}} for n in range(count)]


UNUSABLE: dict[str, Json] = {
    "five megabytes": {"tools": tools(5, 1024 * 1024), "digest": None},
    "a hundred thousand tools": {"tools": tools(100_000), "digest": None},
    "ten thousand and one": {"tools": tools(10_001), "digest": None},
    "two of one name": {"tools": [ECHO, ECHO], "digest": None},
    "no list": {"tools": "all of them", "digest": None},
    "no objects": {"tools": [1, None], "digest": None},
    "no name": {"tools": [{"inputSchema": {}}], "digest": None},
    "a name that is none": {"tools": [{"name": ["echo"]}], "digest": None},
    "another digest": {"digest": OTHER},
    "a digest that is none": {"digest": 7},
    "incomplete in nothing": {"complete": False},
    "not a number": {"tools": [{**ECHO, "x": float("nan")}], "digest": None},
    "unchanged, unasked": {"unchanged": True, "digest": OTHER, "tools": [EVIL]},
    "a member in another case": {"Tools": [EVIL]},
}


@pytest.mark.parametrize("members", UNUSABLE.values(), ids=UNUSABLE)
async def test_a_signature_that_is_none_ends_the_connection(members: Json, era: Era) -> None:
    peer = declaring(**members)
    assert peer.server.signature is not None
    if members.get("digest", "") is None:
        del peer.server.signature["digest"]
    started = time.monotonic()

    with anyio.fail_after(PATIENCE), pytest.raises(SignatureUnusableError):
        async with guarded(peer, era):
            pytest.fail("nobody may get this far")

    assert time.monotonic() - started < PATIENCE / 2
    assert "tools/list" not in peer.server.methods()


async def test_unchanged_with_another_digest_ends_the_connection(era: Era, tmp_path: Any) -> None:
    async with guarded(declaring(), era, name="demo", signature_cache=tmp_path):
        pass
    peer = declaring(advertised={})
    peer.server.answers["signature"] = lambda _: {"result": {"unchanged": True, "digest": OTHER}}

    with anyio.fail_after(PATIENCE), pytest.raises(SignatureUnusableError, match="nobody asked about"):
        async with guarded(peer, era, name="demo", signature_cache=tmp_path):
            pytest.fail("nobody may get this far")


@pytest.mark.parametrize("method", ["signature", "tools/list"])
async def test_a_server_that_hangs_is_waited_for_a_while(method: str, era: Era) -> None:
    peer = declaring() if method == "signature" else Peer(Server())
    peer.server.silent = {method}

    with anyio.fail_after(PATIENCE), pytest.raises(SignatureTimeoutError, match=r"within 0\.3 seconds"):
        async with guarded(peer, era, timeout=0.3):
            pytest.fail("nobody may get this far")


async def test_a_list_that_hangs_later_refuses_the_calls_that_need_it(era: Era) -> None:
    peer = declaring()
    peer.server.silent = {"tools/list"}
    async with guarded(peer, era, timeout=0.3) as client:
        with anyio.fail_after(PATIENCE), pytest.raises(CallRefusedError) as refused:
            await client.call_tool("echo", {"text": "x"})
        assert refused.value.reason == "unverified"


async def test_whoever_calls_need_not_wait_as_long_as_the_server_likes(era: Era) -> None:
    peer = declaring()
    peer.server.silent = {"tools/list"}
    async with guarded(peer, era) as client:
        with anyio.fail_after(PATIENCE), pytest.raises(MCPError, match="in time"):
            await client.call_tool("echo", {"text": "x"}, read_timeout_seconds=0.2)
        with anyio.move_on_after(0.1) as scope:
            await client.call_tool("echo", {"text": "x"})
        assert scope.cancelled_caught
    assert "tools/call" not in peer.server.methods()


async def test_a_list_bigger_than_the_signature_is_refused_or_cut_down(era: Era) -> None:
    peer = declaring()
    peer.server.tools = [ECHO, TIME, *tools(2_000)]
    async with guarded(peer, era) as client:
        with anyio.fail_after(PATIENCE), pytest.raises(AnswerRefusedError, match="and 48 more"):
            await client.list_tools()
        assert not (await client.call_tool("echo", {"text": "x"})).is_error
    async with guarded(peer, era, on_violation="drop") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["echo", "get_time"]


async def test_a_page_of_many_megabytes_is_no_page_of_the_contract(era: Era) -> None:
    peer = declaring()
    peer.server.tools = [ECHO, *tools(20, 1024 * 1024)]
    async with guarded(peer, era) as client:
        with anyio.fail_after(PATIENCE), pytest.raises(CallRefusedError) as refused:
            await client.call_tool("echo", {"text": "x"})
        assert refused.value.reason == "unverified"
        with anyio.fail_after(PATIENCE), pytest.raises(AnswerRefusedError):
            await client.list_tools()


async def test_a_list_without_end_is_given_up(era: Era) -> None:
    peer = declaring()
    turns = iter(range(10**9))
    peer.server.answers["tools/list"] = lambda _: {
        "result": {"tools": [ECHO], "nextCursor": str(next(turns))}
    }
    async with guarded(peer, era) as client:
        with anyio.fail_after(PATIENCE), pytest.raises(CallRefusedError) as refused:
            await client.call_tool("echo", {"text": "x"})
        assert refused.value.reason == "unverified"


async def called_at_last(client: GuardedClient) -> None:
    while True:
        try:
            await client.call_tool("echo", {"text": "x"})
        except CallRefusedError:
            await anyio.sleep(0.05)
        else:
            return


async def test_a_storm_of_news_is_not_answered_with_a_storm_of_questions(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era) as client:
        await client.list_tools()
        before = len(peer.server.saw)
        with anyio.fail_after(PATIENCE):
            for _ in range(1_000):
                await peer.say(told("notifications/tools/list_changed"))
            # While it lasts, nothing can be compared.
            await called_at_last(client)
        assert len(peer.server.saw) - before < 100


async def test_a_list_that_changes_whenever_it_is_asked_for_is_given_up(era: Era) -> None:
    peer = declaring()

    async def restless() -> None:
        while True:
            await peer.changed.wait()
            await peer.say(told("notifications/tools/list_changed"))

    async with guarded(peer, era) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(restless)
        with anyio.fail_after(PATIENCE), suppress(CallRefusedError):
            await client.call_tool("echo", {"text": "x"})
        tasks.cancel_scope.cancel()


CYCLE: Json = {
    "name": "cycle",
    "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
    "outputSchema": {"$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/x"}}},
}


async def test_a_reference_that_leads_to_itself_leads_nowhere(era: Era) -> None:
    peer = declaring(CYCLE)
    peer.server.answers["tools/call"] = lambda _: {
        "result": {"content": [], "structuredContent": {}, "resultType": "complete"}
    }
    async with guarded(peer, era, validate_arguments=True) as client:
        with anyio.fail_after(PATIENCE):
            client.permissions()
            await client.resolve("cycle", {"a": 1})
            with suppress(CallRefusedError):
                await client.call_tool("cycle", {"a": 1})


async def test_a_pattern_of_a_variant_cannot_keep_the_client_busy(era: Era) -> None:
    variant = {
        "when": {"argumentPatterns": {"text": {"pattern": CATASTROPHE}}},
        "annotations": {"readOnlyHint": True},
    }
    peer = declaring({**ECHO, "resolvedVariants": [variant]})
    async with guarded(peer, era) as client:
        started = time.monotonic()
        client.permissions()
        resolved = await client.resolve("echo", {"text": "a" * 5_000 + "!"})
        assert time.monotonic() - started < PATIENCE / 2
        assert "annotations" not in resolved


async def test_nor_can_a_pattern_of_an_output_schema(era: Era) -> None:
    """The SDK alone would be busy with this for longer than anybody lives."""
    schema = {"type": "object", "properties": {"text": {"type": "string", "pattern": CATASTROPHE}}}
    peer = declaring({**ECHO, "outputSchema": schema})
    content = {"text": "a" * 64 + "!"}
    peer.server.answers["tools/call"] = lambda _: {
        "result": {"content": [], "structuredContent": content, "resultType": "complete"}
    }
    async with guarded(peer, era) as client:
        started = time.monotonic()
        with pytest.raises(RuntimeError, match="Invalid structured content"):
            await client.call_tool("echo", {"text": "x"})
        assert time.monotonic() - started < PATIENCE / 2

        content["text"] = "aaa"
        assert (await client.call_tool("echo", {"text": "x"})).structured_content == content


@pytest.mark.parametrize("options", [{"fallback": "open"}, {"on_violation": "log"}], ids=["open", "log"])
async def test_nor_can_one_of_a_tool_that_nobody_declared(options: Json, era: Era) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string", "pattern": CATASTROPHE}}}
    peer = Peer()
    content = {"text": "a" * 64 + "!"}
    peer.server.answers["tools/call"] = lambda _: {
        "result": {"content": [], "structuredContent": content, "resultType": "complete"}
    }
    async with guarded(peer, era, **options) as client:
        peer.server.tools = [{**TIME, "name": "later", "outputSchema": schema}]
        started = time.monotonic()
        with pytest.raises(RuntimeError, match="Invalid structured content"):
            await client.call_tool("later", {})
        assert time.monotonic() - started < PATIENCE / 2


@pytest.mark.parametrize("options", [{"fallback": "open"}, {"on_violation": "log"}], ids=["open", "log"])
async def test_what_a_server_says_about_a_tool_that_nobody_declared_is_not_believed(
    options: Json, era: Era
) -> None:
    peer = Peer()
    safe = {"name": "later", "inputSchema": {}, "annotations": {"readOnlyHint": True}}
    peer.server.answers["tools/resolve"] = lambda _: {"result": {"tool": safe, "resultType": "complete"}}
    async with guarded(peer, era, **options) as client:
        resolved = await client.resolve("later", {"operation": "delete"})
    assert resolved["annotations"]["readOnlyHint"] is False
    assert resolved["annotations"]["destructiveHint"] is True


BEYOND: dict[str, Json] = {
    "safer": {**ECHO, "annotations": {"readOnlyHint": True}},
    "more dangerous": {**ECHO, "annotations": {"destructiveHint": True, "readOnlyHint": False}},
    "other scopes": {**ECHO, "requiredScopes": ["everything"]},
    "another tool": {**TIME},
    "other words": {**ECHO, "description": "EVIL"},
}


@pytest.mark.parametrize("tool", BEYOND.values(), ids=BEYOND)
async def test_what_a_server_resolves_is_what_it_declared_or_nothing(tool: Json, era: Era) -> None:
    peer = declaring()
    answer = ECHO
    peer.server.answers["tools/resolve"] = lambda _: {"result": {"tool": answer, "resultType": "complete"}}
    async with guarded(peer, era) as client:
        assert await client.resolve("echo", {"text": "x"}) == ECHO
        answer = tool
        with pytest.raises(AnswerRefusedError) as refused:
            await client.resolve("echo", {"text": "x"})
        assert refused.value.reason == "changed"
        with pytest.raises(CallRefusedError):
            await client.resolve("run_shell")
    async with guarded(peer, era, on_violation="log") as client:
        assert await client.resolve("echo", {"text": "x"}) == ECHO


async def test_a_renewal_that_is_none_leaves_the_contract_as_it_was(era: Era) -> None:
    peer = declaring()
    async with guarded(peer, era, timeout=0.5) as client:
        for members in ({"tools": [ECHO, ECHO]}, {"digest": OTHER}):
            peer.server.signature = declaration(**members)
            with anyio.fail_after(PATIENCE), pytest.raises(SignatureUnusableError):
                await client.refresh_signature()
        peer.server.silent = {"signature"}
        with anyio.fail_after(PATIENCE), pytest.raises(SignatureTimeoutError):
            await client.refresh_signature()
        assert not (await client.call_tool("echo", {"text": "x"})).is_error
