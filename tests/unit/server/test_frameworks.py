"""What the frameworks share, and the odd cases of the low-level one."""

import asyncio
from typing import Any

import mcp_types
import pytest
from fastmcp import FastMCP
from mcp.server.lowlevel import Server

from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import declare
from avow.server.declared import _at_once
from avow.server.fast import FastFramework
from avow.server.frameworks import intercept, name_of, parsed_template, template_matches, uri_of
from declaring.wire import talk

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def check() -> str:
    return ""


@pytest.mark.parametrize(
    ("template", "uri", "expected"),
    [
        ("note://{number}", "note://5", True),
        ("note://{number}", "note://5/6", False),
        ("note://{+path}", "note://5/6", True),
        ("note://{", "note://{", False),
    ],
)
def test_templates_match_as_the_sdk_matches(template: str, uri: str, expected: bool) -> None:
    assert template_matches(template, uri) is expected


def test_what_is_no_template_is_none() -> None:
    assert parsed_template("note://{") is None


def test_names_come_from_the_author_or_the_function() -> None:
    assert name_of("given", check) == "given"
    assert name_of(None, check) == "check"
    assert uri_of(Kind.RESOURCE, "note://5") == "note://5"
    with pytest.raises(DeclarationError, match="needs a name"):
        name_of("", check)


def test_an_interception_may_stop_the_call() -> None:
    class Register:
        def __init__(self) -> None:
            self.names: list[str] = []

        def add(self, name: str) -> str:
            self.names.append(name)
            return name

    def refuse(name: str) -> None:
        if name == "late":
            raise DeclarationError("too late")

    register = Register()
    intercept(register, "add", refuse)

    assert register.add("early") == "early"
    with pytest.raises(DeclarationError):
        register.add("late")
    assert register.names == ["early"]


def test_an_answer_is_there_at_once_or_not_at_all() -> None:
    async def quick() -> int:
        return 5

    async def slow() -> int:
        await asyncio.sleep(0)
        return 5

    assert _at_once(quick()) == 5
    assert _at_once(slow()) is None


async def test_a_template_that_is_none_is_no_declaration() -> None:
    async def templates(ctx: Any, params: Any) -> mcp_types.ListResourceTemplatesResult:
        broken = mcp_types.ResourceTemplate(name="broken", uri_template="note://{")
        return mcp_types.ListResourceTemplatesResult(resource_templates=[broken])

    server: Server[Any] = Server("broken", on_list_resource_templates=templates)
    declare(server)

    async with talk(server, Era.MODERN, shake_hands=False) as wire:
        error = await wire.error("server/discover")

    assert "'note://{' is not a URI template" in error["message"]


@pytest.mark.parametrize("era", list(Era))
async def test_a_wildcard_of_fastmcp_is_declared_and_served(era: Era) -> None:
    server: FastMCP[Any] = FastMCP("files")

    @server.resource("file:///{path*}")
    def read(path: str) -> str:
        return path

    @server.resource("search://all{?words*}")
    def search(words: list[str] | None = None) -> str:
        return ",".join(words or [])

    declare(server)

    async with talk(server, era) as wire:
        signature = await wire.result("signature")
        contents = (await wire.result("resources/read", {"uri": "file:///a/b/c"}))["contents"]

    templates = {template["uriTemplate"] for template in signature["resourceTemplates"]}
    assert templates == {"file:///{path*}", "search://all{?words*}"}
    assert contents[0]["text"] == "a/b/c"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("note://{number}", True),
        ("file:///{path*}", True),
        ("note://{user-id}", True),
        ("note://{+path}", True),
        ("note://{", False),
        ("note://{}", False),
        ("note://{a}/{a}", False),
    ],
)
def test_fastmcp_says_what_it_takes_for_a_template(text: str, expected: bool) -> None:
    assert FastFramework(FastMCP("any")).is_template(text) is expected


async def test_a_list_may_be_given_as_plain_json() -> None:
    async def tools(ctx: Any, params: Any) -> Any:
        return {"tools": [{"name": "plain", "inputSchema": {"type": "object"}}]}

    server: Server[Any] = Server("plain", on_list_tools=tools)
    avowed = declare(server)
    extra = mcp_types.Tool(name="extra", input_schema={"type": "object"})
    avowed.possible_tool(extra, available=lambda context: True)(check)

    async with talk(server, Era.MODERN) as wire:
        signature = await wire.result("signature")
        assert await wire.listed() == ["plain", "extra"]

    assert [tool["name"] for tool in signature["tools"]] == ["plain", "extra"]


async def test_a_resource_of_its_own_does_not_lead_into_a_closed_template() -> None:
    async def resources(ctx: Any, params: Any) -> mcp_types.ListResourcesResult:
        return mcp_types.ListResourcesResult(resources=[mcp_types.Resource(name="one", uri="note://1")])

    async def read(ctx: Any, params: Any) -> mcp_types.ReadResourceResult:
        return mcp_types.ReadResourceResult(
            contents=[mcp_types.TextResourceContents(uri=params.uri, text="public")]
        )

    server: Server[Any] = Server("overlapping", on_list_resources=resources, on_read_resource=read)
    avowed = declare(server)
    template = mcp_types.ResourceTemplate(name="secret", uri_template="note://{number}")
    avowed.possible_template(template, available=lambda context: False)(check)

    async with talk(server, Era.MODERN) as wire:
        one = await wire.result("resources/read", {"uri": "note://1"})
        two = await wire.error("resources/read", {"uri": "note://2"})

    assert one["contents"][0]["text"] == "public"
    assert "is not available to you now" in two["message"]


async def test_an_open_kind_without_a_handler_says_that_there_is_nothing() -> None:
    server: Server[Any] = Server("open")
    avowed = declare(server, incomplete=["tools"])
    extra = mcp_types.Tool(name="extra", input_schema={"type": "object"})
    avowed.possible_tool(extra, available=lambda context: True)(check)

    async with talk(server, Era.MODERN) as wire:
        error = await wire.error("tools/call", {"name": "nothing", "arguments": {}})

    assert error["message"] == "avow: there is no tool 'nothing'"
