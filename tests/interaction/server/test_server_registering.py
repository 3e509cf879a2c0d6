"""Registering: what is allowed before the signature is served, and what raises afterwards."""

from collections.abc import Callable
from typing import Any

import anyio
import mcp_types
import pytest
from fastmcp import FastMCP
from fastmcp.prompts import Prompt as FastPrompt
from fastmcp.resources import Resource as FastResource
from fastmcp.resources import ResourceTemplate as FastTemplate
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.tools import Tool as FastTool
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import TextResource

from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import Declared, declare
from declaring.servers import FRAMEWORKS, is_admin, server
from declaring.wire import talk

pytestmark = pytest.mark.anyio
Registration = Callable[[Any], object]


def late() -> str:
    return "too late"


def later(number: str) -> str:
    return number


OFFICIAL: dict[str, Registration] = {
    "tool 'late'": lambda mcp: mcp.tool()(late),
    "tool 'renamed'": lambda mcp: mcp.add_tool(late, "renamed"),
    "tool 'keyword'": lambda mcp: mcp.add_tool(late, name="keyword"),
    "prompt 'late'": lambda mcp: mcp.prompt()(late),
    "prompt 'object'": lambda mcp: mcp.add_prompt(Prompt.from_function(late, name="object")),
    "resource 'note://late'": lambda mcp: mcp.resource("note://late")(late),
    "resource 'note://object'": lambda mcp: mcp.add_resource(
        TextResource(uri="note://object", name="object", text="late")
    ),
    "template 'note://late/{number}'": lambda mcp: mcp.resource("note://late/{number}")(later),
}
FASTMCP: dict[str, Registration] = {
    "tool 'late'": lambda mcp: mcp.tool(late),
    "tool 'renamed'": lambda mcp: mcp.tool(name="renamed")(late),
    "tool 'object'": lambda mcp: mcp.add_tool(FastTool.from_function(late, name="object")),
    "prompt 'late'": lambda mcp: mcp.prompt(late),
    "prompt 'object'": lambda mcp: mcp.add_prompt(FastPrompt.from_function(late, name="object")),
    "resource 'note://late'": lambda mcp: mcp.resource("note://late")(late),
    "resource 'note://object'": lambda mcp: mcp.add_resource(
        FastResource.from_function(late, uri="note://object")
    ),
    "template 'note://late/{number}'": lambda mcp: mcp.resource("note://late/{number}")(later),
    "template 'note://object/{number}'": lambda mcp: mcp.add_template(
        FastTemplate.from_function(later, uri_template="note://object/{number}")
    ),
    "provider 'FastMCPProvider'": lambda mcp: mcp.mount(FastMCP("other")),
}
CASES = [("official", what, do) for what, do in OFFICIAL.items()] + [
    ("fastmcp", what, do) for what, do in FASTMCP.items()
]


@pytest.mark.parametrize(
    ("framework", "what", "register"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES]
)
async def test_registering_after_the_signature_was_served_raises_and_names_it(
    framework: str, what: str, register: Registration
) -> None:
    mcp, _ = server(framework)
    early, _ = server(framework)
    register(early)

    async with talk(mcp, Era.MODERN):
        with pytest.raises(DeclarationError) as caught:
            register(mcp)

    assert caught.value.message == f"the {what} is registered after the signature was served without it"
    assert "async with avowed.changing()" in caught.value.hint


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_possible_capability_comes_too_late_as_well(framework: str) -> None:
    mcp, avowed = server(framework)
    what = mcp_types.Prompt(name="late") if framework == "lowlevel" else "late"

    async with talk(mcp, Era.MODERN) as wire:
        with pytest.raises(DeclarationError, match="the prompt 'late' is registered after"):
            avowed.possible_prompt(what, available=is_admin)(late)
        assert await wire.listed("prompts/list") == ["summarize"]


@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_what_the_signature_has_may_come_and_go(framework: str) -> None:
    mcp, _ = server(framework)
    remove = mcp.remove_tool if framework == "official" else mcp.local_provider.remove_tool

    async with talk(mcp, Era.MODERN) as wire:
        remove("greet")
        assert await wire.listed() == []
        mcp.tool(name="greet")(late)
        assert await wire.listed() == ["greet"]


async def test_what_cannot_be_enumerated_may_be_registered_at_any_time() -> None:
    mcp = MCPServer("open", log_level="CRITICAL")
    declare(mcp, incomplete=("resources",))

    async with talk(mcp, Era.MODERN) as wire:
        mcp.resource("note://late")(late)
        assert await wire.listed("resources/list") == ["note://late"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda avowed: avowed.possible_resource("note://{n}", available=is_admin),
            "is not the URI of a resource",
        ),
        (
            lambda avowed: avowed.possible_template("note://n", available=is_admin),
            "is not the URI of a template",
        ),
        (lambda avowed: avowed.possible_resource(5, available=is_admin), "needs its URI"),
    ],
)
def test_a_resource_is_not_a_template(wrong: Callable[[Declared], Any], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        wrong(declare(MCPServer("wrong")))(late)


def test_a_tool_needs_a_name() -> None:
    avowed = declare(MCPServer("wrong"))

    with pytest.raises(DeclarationError, match="needs a name"):
        avowed.possible_tool(available=is_admin)(lambda: "nameless")


@pytest.mark.parametrize(
    ("what", "options", "words"),
    [
        ("late", {}, "needs its definition as the first argument"),
        ({"name": "late", "inputSchema": {}}, {"title": "Late"}, "has no option title"),
        ({"name": "admin_dashboard", "inputSchema": {}}, {}, "'admin_dashboard' is declared twice"),
    ],
)
def test_a_low_level_server_needs_whole_definitions(what: Any, options: Any, words: str) -> None:
    _, avowed = server("lowlevel")

    with pytest.raises(DeclarationError, match=words):
        avowed.possible_tool(what, available=is_admin, **options)(late)


@pytest.mark.parametrize("uri", ["http://example.com", "HTTP://Example.com/A", "file:///a/../b", "note://ä"])
async def test_a_uri_is_known_as_fastmcp_writes_it(uri: str) -> None:
    mcp: FastMCP[Any] = FastMCP("uris")
    avowed = declare(mcp)
    avowed.possible_resource(uri, available=is_admin)(late)

    async with talk(mcp, Era.MODERN) as wire:
        (declared,) = (await wire.result("signature"))["resources"]
        closed = await wire.error("resources/read", {"uri": declared["uri"]})
        unlisted = await wire.request("resources/read", {"uri": uri})
        mcp.resource(uri)(late)

    assert "is not available to you now" in closed["message"]
    assert "error" in unlisted


async def test_fastmcp_declares_what_is_mounted_disabled_or_for_others() -> None:
    """All of it may be listed some day, to somebody."""
    inner: FastMCP[Any] = FastMCP("inner")
    inner.tool(name="mounted")(late)
    mcp: FastMCP[Any] = FastMCP("outer")
    mcp.tool(name="disabled")(late)
    mcp.tool(name="for_others", auth=lambda context: False)(late)
    mcp.mount(inner, namespace="sub")
    mcp.disable(names={"disabled"})
    declare(mcp)

    async with talk(mcp, Era.MODERN) as wire:
        signature = await wire.result("signature")
        listed = (await wire.result("tools/list"))["tools"]
        mcp.enable(names={"disabled"})
        enabled = (await wire.result("tools/list"))["tools"]

    declared = {tool["name"]: tool for tool in signature["tools"]}
    assert set(declared) == {"disabled", "for_others", "sub_mounted"}
    assert "disabled" not in [tool["name"] for tool in listed]
    assert "disabled" in [tool["name"] for tool in enabled]
    assert all(declared[tool["name"]] == tool for tool in enabled)


async def test_fastmcp_middleware_shapes_the_signature_as_it_shapes_lists() -> None:
    """FastMCP writes out every `$ref` of a schema when it lists; the signature must not show another one."""
    mcp: FastMCP[Any] = FastMCP("shaped")
    parameters = {
        "type": "object",
        "properties": {"point": {"$ref": "#/$defs/Point"}},
        "$defs": {"Point": {"type": "object", "properties": {"x": {"type": "number"}}}},
    }
    tool = FastTool.from_function(later, name="draw")
    mcp.add_tool(tool.model_copy(update={"parameters": parameters}))
    declare(mcp)

    async with talk(mcp, Era.MODERN) as wire:
        signature = await wire.result("signature")
        listed = await wire.result("tools/list")

    assert "$ref" not in str(listed["tools"])
    assert signature["tools"] == listed["tools"]


async def test_what_fastmcp_remembers_of_one_person_is_not_shown_to_another() -> None:
    """Looking at everything there is must not fill a cache from which lists are answered."""
    mcp: FastMCP[Any] = FastMCP("caching")
    mcp.add_middleware(ResponseCachingMiddleware())
    mcp.tool(name="public")(late)
    mcp.tool(name="disabled")(late)
    mcp.disable(names={"disabled"})
    declare(mcp)

    async with talk(mcp, Era.MODERN) as wire:
        listed = [await wire.listed() for _ in range(2)]
        signature = await wire.result("signature")

    assert listed == [["public"], ["public"]]
    assert len(signature["tools"]) == 2


async def test_an_item_that_is_listed_otherwise_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    mcp, _ = server("official")

    async with talk(mcp, Era.MODERN) as wire:
        mcp.remove_tool("greet")
        mcp.tool("greet", description="Greet somebody, and tell me all about it.")(late)
        for _ in range(2):
            assert await wire.listed() == ["greet"]

    words = "the server lists the tool 'greet' otherwise than its signature has it"
    assert [record.message for record in caplog.records].count(words) == 1


async def test_the_signature_is_settled_once_however_many_ask() -> None:
    listings: list[str] = []
    go_on = anyio.Event()

    async def slow(ctx: Any, params: Any) -> mcp_types.ListToolsResult:
        listings.append(ctx.method)
        await go_on.wait()
        return mcp_types.ListToolsResult(tools=[])

    mcp: Server[Any] = Server("slow", on_list_tools=slow)
    declare(mcp)

    async with talk(mcp, Era.MODERN, shake_hands=False) as wire, anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(wire.result, "signature")
        while not listings:
            await anyio.sleep(0.01)
        go_on.set()

    assert listings == ["tools/list"]


async def test_a_paged_list_is_declared_whole_and_cut_page_by_page() -> None:
    async def pages(ctx: Any, params: Any) -> mcp_types.ListToolsResult:
        page = int(params.cursor or 0)
        tools = [mcp_types.Tool(name=f"tool_{page}_{n}", input_schema={"type": "object"}) for n in range(2)]
        return mcp_types.ListToolsResult(tools=tools, next_cursor=str(page + 1) if page < 2 else None)

    mcp: Server[Any] = Server("pages", on_list_tools=pages)
    avowed = declare(mcp)
    avowed.restrict("tool", "tool_0_1", available=is_admin)
    definition = mcp_types.Tool(name="extra", input_schema={"type": "object"})
    avowed.possible_tool(definition, available=lambda context: True)(late)

    async with talk(mcp, Era.MODERN) as wire:
        signature = await wire.result("signature")
        first = await wire.result("tools/list")
        last = await wire.result("tools/list", {"cursor": "2"})

    assert len(signature["tools"]) == 7
    assert [tool["name"] for tool in first["tools"]] == ["tool_0_0"]
    assert first["nextCursor"] == "1"
    assert [tool["name"] for tool in last["tools"]] == ["tool_2_0", "tool_2_1", "extra"]


async def test_a_list_without_end_is_no_declaration() -> None:
    async def endless(ctx: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[], next_cursor="again")

    mcp: Server[Any] = Server("endless", on_list_tools=endless)
    declare(mcp)

    async with talk(mcp, Era.MODERN, shake_hands=False) as wire:
        error = await wire.error("server/discover")

    assert "tools/list has no end" in error["message"]
