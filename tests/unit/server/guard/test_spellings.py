"""Other names for what a feature has: digests of apps, made-up tools, and URIs that mean the same."""

from typing import Any

import mcp_types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.core.snapshot import Era
from avow.server import Feature, Identity, declare, guard
from declaring.wire import Wire, talk
from hardened.servers import FRAMEWORKS, hardened

pytestmark = pytest.mark.anyio
BOTH = pytest.mark.parametrize("era", list(Era))
ADMIN = ("admin",)
NOTES = {"secret": "THE SECRET", "a": "hello"}
SECRET = Feature(resources=("notes://h/secret",), templates=("notes://h/admin/{number}",))
SPELLINGS = [
    "notes://h/secret",
    "notes://h/SECRET",
    "notes://h/%73ecret",
    "notes://h/secret/",
    "notes://h/secret#x",
    "notes://h/secret?x=1",
    "notes://h/secret?",
    "notes://h/./secret",
    "notes://h/admin/1",
    "notes://h/%61dmin/1",
    "notes://h/admin%2f1",
    "notes://h/ADMIN/1",
    "notes://h/admin/1/",
    "notes://h/admin/./1",
    "notes://h/x/../admin/1",
    "notes://h/admin/1#x",
    "notes://h/" + "a" * 10_000,
]
ENDS = {"official": "{+path}", "official query": "{name}{?x}", "fastmcp": "{path*}"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def grants(who: Identity) -> set[str]:
    return {"mine"} if "admin" in who.scopes else set()


def notes(framework: str) -> Any:
    """A closed resource and a closed template, and an open template that would serve both."""
    mcp: Any
    if framework == "fastmcp":
        from fastmcp import FastMCP

        mcp = FastMCP("notes")
    else:
        mcp = MCPServer("notes", log_level="CRITICAL")
    template = "notes://h/" + ENDS[framework]

    @mcp.resource("notes://h/secret")  # type: ignore[untyped-decorator]
    def secret() -> str:
        return NOTES["secret"]

    @mcp.resource("notes://h/admin/{number}")  # type: ignore[untyped-decorator]
    def admin(number: str) -> str:
        return f"THE SECRET {number}"

    if "query" in framework:

        @mcp.resource(template)  # type: ignore[untyped-decorator]
        def named(name: str, x: str = "") -> str:
            return NOTES.get(name, f"{name} {x}")
    else:

        @mcp.resource(template)  # type: ignore[untyped-decorator]
        def anything(path: str) -> str:
            return NOTES.get(path, path)

    return mcp


async def read(wire: Wire, uri: str) -> bool:
    return "result" in await wire.request("resources/read", {"uri": uri})


@BOTH
@pytest.mark.parametrize("framework", list(ENDS))
async def test_no_spelling_leads_through_an_open_template(framework: str, era: Era) -> None:
    server = notes(framework)
    guard(server, features={"mine": SECRET}, grants=grants)

    async with talk(server, era) as wire:
        reached = [uri for uri in SPELLINGS if await read(wire, uri)]

        assert reached == []
        assert await read(wire, "notes://h/a")


@BOTH
@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_who_has_the_grant_may_spell_as_they_like(framework: str, era: Era) -> None:
    server = notes(framework)
    guard(server, features={"mine": SECRET}, grants=grants)

    async with talk(server, era, scopes=ADMIN) as wire:
        assert await read(wire, "notes://h/secret")
        assert await read(wire, "notes://h/./secret")
        assert await read(wire, "notes://h/admin/1")


@BOTH
@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_what_is_not_available_is_so_in_every_spelling(framework: str, era: Era) -> None:
    server = notes(framework)
    declared = declare(server)
    declared.restrict("resource", "notes://h/secret", available=lambda _: False)
    declared.restrict("template", "notes://h/admin/{number}", available=lambda _: False)

    async with talk(server, era) as wire:
        reached = [uri for uri in SPELLINGS if await read(wire, uri)]

        assert reached == []
        assert await read(wire, "notes://h/a")


def app() -> tuple[Any, str]:
    """A server with an app, and the other name of the app's tool."""
    from fastmcp import FastMCP
    from fastmcp.apps import FastMCPApp
    from fastmcp.server.providers.addressing import hashed_backend_name

    mcp: Any = FastMCP("notes")
    notes_app = FastMCPApp("notes-app")

    @notes_app.tool(model=True)
    def delete_note(name: str) -> str:
        """Delete a note."""
        return f"deleted {name}"

    mcp.add_provider(notes_app)

    @mcp.tool  # type: ignore[untyped-decorator]
    def count(text: str) -> int:
        """Count the letters."""
        return len(text)

    return mcp, hashed_backend_name("notes-app", "delete_note")


async def called(wire: Wire, tool: str, **arguments: Any) -> bool:
    answer = await wire.request("tools/call", {"name": tool, "arguments": arguments})
    return answer.get("result", {"isError": True}).get("isError") is not True


@BOTH
async def test_the_digest_of_an_apps_tool_needs_the_grant_too(era: Era) -> None:
    server, alias = app()
    guard(server, features={"mine": Feature(tools=("delete_note",))}, grants=grants)

    async with talk(server, era) as wire:
        assert not await called(wire, "delete_note", name="a")
        assert not await called(wire, alias, name="a")
        assert await called(wire, "count", text="a")


@BOTH
async def test_the_digest_of_an_apps_tool_is_as_available_as_the_tool(era: Era) -> None:
    server, alias = app()
    declare(server, incomplete=["tools"]).restrict("tool", "delete_note", available=lambda _: False)

    async with talk(server, era) as wire:
        assert not await called(wire, "delete_note", name="a")
        assert not await called(wire, alias, name="a")
        assert await called(wire, "count", text="a")


@BOTH
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_name_that_is_in_no_list_never_reaches_the_server(framework: str, era: Era) -> None:
    """The low-level server deletes whatever else it is told, as a last `case _` may do."""
    server, _ = hardened(framework)

    async with talk(server, era) as wire:
        error = await wire.error("tools/call", {"name": "delete_everything", "arguments": {"name": "a"}})

        assert error["data"]["avow"]["reason"] == "unknown"
        assert await called(wire, "count_words", text="a b")


@BOTH
async def test_a_low_level_server_is_called_by_the_names_in_its_list(era: Era) -> None:
    tool = mcp_types.Tool(name="count", input_schema={"type": "object"})
    gated = mcp_types.Tool(name="drop", input_schema={"type": "object"})

    async def list_tools(context: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[tool, gated])

    async def call_tool(context: Any, params: Any) -> mcp_types.CallToolResult:
        return mcp_types.CallToolResult(content=[])

    server: Server[Any] = Server("notes", on_list_tools=list_tools, on_call_tool=call_tool)
    guard(server, features={"mine": Feature(tools=("drop",))}, grants=grants)

    async with talk(server, era) as wire:
        assert await called(wire, "count")
        assert not await called(wire, "drop")
        assert not await called(wire, "Drop")
    async with talk(server, era, scopes=ADMIN) as wire:
        assert await called(wire, "drop")
