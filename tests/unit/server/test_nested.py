"""Tools about tools, resources and prompts, older versions of a tool, and servers inside servers: FastMCP."""

from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import AuthorizationError
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.server.transforms.prompts_as_tools import PromptsAsTools
from fastmcp.server.transforms.resources_as_tools import ResourcesAsTools
from fastmcp.server.transforms.search import RegexSearchTransform

from avow.core.snapshot import Era
from avow.server import Feature, Identity, declare, guard
from declaring.wire import Json, Wire, talk
from hardened.wire import say, session

pytestmark = pytest.mark.anyio
BOTH = pytest.mark.parametrize("era", list(Era))
ADMIN = ("admin",)
MINE = Feature(tools=("delete_note",), prompts=("audit",), resources=("notes://h/secret",))
OLD = "2025-03-26"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def grants(who: Identity) -> set[str]:
    return {"mine"} if "admin" in who.scopes else set()


def is_admin(context: Any) -> bool:
    return "admin" in context.scopes


def notes() -> Any:
    """A tool, a prompt and a resource for everybody, and one of each for administrators."""
    mcp: Any = FastMCP("notes")

    @mcp.tool  # type: ignore[untyped-decorator]
    def count(text: str) -> int:
        """Count the letters."""
        return len(text)

    @mcp.tool  # type: ignore[untyped-decorator]
    def delete_note(name: str) -> str:
        """Delete a note."""
        return f"deleted {name}"

    @mcp.resource("notes://h/secret")  # type: ignore[untyped-decorator]
    def secret() -> str:
        return "THE SECRET"

    @mcp.resource("notes://h/open")  # type: ignore[untyped-decorator]
    def opened() -> str:
        return "everybody's"

    @mcp.prompt  # type: ignore[untyped-decorator]
    def audit() -> str:
        return "Audit."

    @mcp.prompt  # type: ignore[untyped-decorator]
    def summarize() -> str:
        return "Summarize."

    return mcp


def close(server: Any, how: str) -> None:
    """Close the same things by a feature, or by checks of availability."""
    if how == "guard":
        guard(server, features={"mine": MINE}, grants=grants)
        return
    declared = declare(server)
    declared.restrict("tool", "delete_note", available=is_admin)
    declared.restrict("prompt", "audit", available=is_admin)
    declared.restrict("resource", "notes://h/secret", available=is_admin)


async def called(wire: Wire, tool: str, **arguments: Any) -> Json | None:
    """The result of a call, unless it is refused one way or the other."""
    answer = await wire.request("tools/call", {"name": tool, "arguments": arguments})
    result: Json = answer.get("result", {"isError": True})
    return None if result.get("isError") else result


HOW = pytest.mark.parametrize("how", ["guard", "declare"])


@BOTH
@HOW
async def test_tools_hand_out_resources_and_prompts_by_the_same_rules(how: str, era: Era) -> None:
    server = notes()
    server.add_transform(ResourcesAsTools(server))
    server.add_transform(PromptsAsTools(server))
    close(server, how)

    async with talk(server, era) as wire:
        assert await called(wire, "read_resource", uri="notes://h/secret") is None
        assert await called(wire, "read_resource", uri="notes://h/%73ecret") is None
        assert await called(wire, "get_prompt", name="audit") is None
        assert "secret" not in str(await called(wire, "list_resources"))
        assert "audit" not in str(await called(wire, "list_prompts"))
        assert "everybody's" in str(await called(wire, "read_resource", uri="notes://h/open"))
        assert "Summarize." in str(await called(wire, "get_prompt", name="summarize"))
    async with talk(server, era, scopes=ADMIN) as wire:
        assert "THE SECRET" in str(await called(wire, "read_resource", uri="notes://h/secret"))
        assert "secret" in str(await called(wire, "list_resources"))
        assert "Audit." in str(await called(wire, "get_prompt", name="audit"))


@BOTH
@HOW
async def test_a_search_finds_and_calls_only_what_the_sender_may_use(how: str, era: Era) -> None:
    server = notes()
    server.add_transform(RegexSearchTransform(always_visible=["delete_note"]))
    close(server, how)

    async with talk(server, era) as wire:
        assert "delete_note" not in str(await called(wire, "search_tools", pattern="delete|count"))
        assert await called(wire, "call_tool", name="delete_note", arguments={"name": "a"}) is None
        assert await called(wire, "call_tool", name="count", arguments={"text": "a"}) is not None
    async with talk(server, era, scopes=ADMIN) as wire:
        found = await called(wire, "call_tool", name="delete_note", arguments={"name": "a"})
        assert "deleted a" in str(found)


@BOTH
async def test_a_tool_acts_for_whoever_called_it(era: Era) -> None:
    server = notes()

    @server.tool  # type: ignore[untyped-decorator]
    async def read_anything(uri: str, context: Context) -> str:
        """Read a resource."""
        return str(await context.read_resource(uri))

    close(server, "guard")

    async with talk(server, era) as wire:
        assert await called(wire, "read_anything", uri="notes://h/secret") is None
        assert await called(wire, "read_anything", uri="notes://h/open") is not None


async def test_asking_about_a_resource_is_refused_as_reading_it() -> None:
    server = notes()

    @server.tool  # type: ignore[untyped-decorator]
    async def may_read(uri: str, context: Context) -> str:
        """Ask as FastMCP does before it describes a file."""
        try:
            await context.fastmcp._check_resource_access(uri)
        except AuthorizationError:
            return "refused"
        return "allowed"

    close(server, "guard")

    async with talk(server, Era.LEGACY) as wire:
        assert "refused" in str(await called(wire, "may_read", uri="notes://h/secret"))
        assert "allowed" in str(await called(wire, "may_read", uri="notes://h/open"))


@BOTH
@HOW
@pytest.mark.parametrize("is_parent_guarded", [True, False])
@pytest.mark.parametrize("namespace", ["inner", None])
async def test_a_server_keeps_its_rules_inside_another(
    how: str, era: Era, is_parent_guarded: bool, namespace: str | None
) -> None:
    child = notes()
    close(child, how)
    parent: Any = FastMCP("all")
    parent.mount(child, namespace=namespace)
    if is_parent_guarded:
        guard(parent)
    before = f"{namespace}_" if namespace else ""
    secret = "notes://inner/h/secret" if namespace else "notes://h/secret"

    async with talk(parent, era) as wire:
        assert await wire.listed() == [f"{before}count"]
        assert secret not in await wire.listed("resources/list")
        assert await called(wire, f"{before}delete_note", name="a") is None
        assert await called(wire, f"{before}count", text="a") is not None
        assert "error" in await wire.request("resources/read", {"uri": secret})
        assert "error" in await wire.request("prompts/get", {"name": f"{before}audit"})
    async with talk(parent, era, scopes=ADMIN) as wire:
        assert sorted(await wire.listed()) == [f"{before}count", f"{before}delete_note"]
        assert await called(wire, f"{before}delete_note", name="a") is not None
        assert "result" in await wire.request("resources/read", {"uri": secret})


async def test_the_signature_of_a_server_around_others_is_the_same_for_everybody() -> None:
    child = notes()
    close(child, "guard")
    parent: Any = FastMCP("all")
    parent.mount(child, namespace="inner")
    declare(parent)

    digests = []
    for scopes in (None, ADMIN):
        async with talk(parent, Era.LEGACY, scopes=scopes) as wire:
            digests.append(wire.hello["capabilities"]["signature"])

    assert digests[0] == digests[1]


async def test_no_cache_hands_on_what_was_meant_for_somebody_else() -> None:
    server = notes()
    server.add_transform(ResourcesAsTools(server))
    close(server, "guard")
    server.add_middleware(ResponseCachingMiddleware(call_tool_settings={"enabled": False}))

    async with talk(server, Era.LEGACY, scopes=ADMIN) as wire:
        assert await called(wire, "read_resource", uri="notes://h/secret") is not None
        assert "secret" in str(await called(wire, "list_resources"))
    async with talk(server, Era.LEGACY) as wire:
        assert await called(wire, "read_resource", uri="notes://h/secret") is None
        assert "secret" not in str(await called(wire, "list_resources"))


async def test_what_nobody_asked_for_is_the_authors_own() -> None:
    server = notes()
    close(server, "guard")

    result = await server.call_tool("delete_note", {"name": "a"})

    assert "deleted a" in str(result)


def versioned() -> Any:
    """A tool that became harmless."""
    mcp: Any = FastMCP("notes")

    @mcp.tool(version="2.0", annotations={"readOnlyHint": True})  # type: ignore[untyped-decorator]
    def count(text: str) -> int:
        """Count the letters of a text."""
        return len(text)

    @mcp.tool(name="count", version="1.0", annotations={"destructiveHint": True})  # type: ignore[untyped-decorator]
    def first(command: str) -> str:
        """Run a shell command and delete files."""
        return f"ran {command}"

    return mcp


OLDER = {"name": "count", "arguments": {"command": "rm"}, "_meta": {"fastmcp": {"version": "1.0"}}}


async def test_below_the_baseline_the_version_that_is_called_counts() -> None:
    server = versioned()
    guard(server)

    async with session(server, Era.LEGACY, version=OLD) as wire:
        newest = await say(wire, "tools/call", {"name": "count", "arguments": {"text": "a"}})
        older = await say(wire, "tools/call", OLDER)

    assert "result" in newest
    assert older["error"]["data"]["avow"]["reason"] == "restricted"


async def test_below_the_baseline_tools_call_no_others_either() -> None:
    server = versioned()

    @server.tool(annotations={"readOnlyHint": True})  # type: ignore[untyped-decorator]
    async def count_words(text: str, context: Context) -> str:
        """Count the words of a text."""
        from fastmcp.utilities.versions import VersionSpec

        version = VersionSpec(lt="2.0") if text == "old" else None
        name = "command" if text == "old" else "text"
        return str(await context.fastmcp.call_tool("count", {name: text}, version=version))

    guard(server)

    async with session(server, Era.LEGACY, version=OLD) as wire:
        assert await called(wire, "count_words", text="new") is not None
        assert await called(wire, "count_words", text="old") is None


@BOTH
async def test_every_version_of_a_tool_needs_the_grant(era: Era) -> None:
    server = versioned()
    guard(server, features={"mine": Feature(tools=("count",))}, grants=grants)

    async with talk(server, era) as wire:
        meta = {**OLDER, "_meta": {**wire._enveloped({}).get("_meta", {}), **OLDER["_meta"]}}  # type: ignore[dict-item]
        await wire.send({"id": 99, "method": "tools/call", "params": meta})
        assert "error" in await wire.request("tools/call", {"name": "count", "arguments": {"text": "a"}})

        assert "error" in wire._answers[99]
