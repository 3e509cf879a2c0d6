"""Minimal declarations: handlers that are missing, flags that nobody keeps, lists that fill later."""

from typing import Any, cast

import mcp_types
import pytest
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.mcpserver import MCPServer
from mcp.server.models import InitializationOptions

from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import declare, guard
from declaring.wire import talk
from hardened.servers import FRAMEWORKS, bare

pytestmark = pytest.mark.anyio
BOTH = pytest.mark.parametrize("era", list(Era))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def listed(context: Any, params: Any) -> Any:
    return mcp_types.ListResourcesResult(resources=[mcp_types.Resource(name="a", uri="note://a")])


async def read(context: Any, params: Any) -> Any:
    return mcp_types.ReadResourceResult(contents=[])


async def accepted(context: Any, params: Any) -> Any:
    return mcp_types.EmptyResult()


async def prompts(context: Any, params: Any) -> Any:
    return mcp_types.ListPromptsResult(prompts=[])


@pytest.mark.parametrize(
    ("handlers", "message"),
    [
        ({"on_list_resources": listed}, "declares 'resources' and has no handler for 'resources/read'"),
        ({"on_list_prompts": prompts}, "declares 'prompts' and has no handler for 'prompts/get'"),
        (
            {"on_list_resources": listed, "on_read_resource": read, "on_subscribe_resource": accepted},
            "declares 'resources.subscribe' and has no handler for 'resources/unsubscribe'",
        ),
    ],
)
async def test_a_capability_without_a_handler_is_named_at_the_start(handlers: Any, message: str) -> None:
    server: Server[Any] = Server("halfway", **handlers)
    guarded = guard(server)

    with pytest.raises(DeclarationError, match=message):
        await guarded.check()
    with pytest.raises(DeclarationError, match=message):
        async with server.lifespan(server):
            raise AssertionError("it started")


async def test_what_is_declared_by_hand_needs_a_handler_too() -> None:
    server: Server[Any] = Server("by hand")
    guard(server)
    capabilities = mcp_types.ServerCapabilities(completions=mcp_types.CompletionsCapability())
    options = InitializationOptions(server_name="x", server_version="1", capabilities=capabilities)

    with pytest.raises(DeclarationError, match="'completions' and has no handler for 'completion/complete'"):
        await server.run(None, None, options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("promise", "message"),
    [
        ({"list_changed": "prompts"}, "'prompts.listChanged' and has no handler for 'prompts/list'"),
        ({"subscribe": True}, "'resources.subscribe' and has no handler for 'resources/subscribe'"),
    ],
)
async def test_a_promise_needs_a_handler(promise: Any, message: str) -> None:
    guarded = guard(Server("promising"), **promise)

    with pytest.raises(DeclarationError, match=message):
        await guarded.check()


@pytest.mark.parametrize("option", ["list_changed", "may_be_empty"])
def test_a_promise_about_no_list_is_a_mistake(option: str) -> None:
    with pytest.raises(DeclarationError, match="'resourceTemplates' is no list of a server"):
        guard(Server("x"), **cast("dict[str, Any]", {option: ["tools", "resourceTemplates"]}))


@BOTH
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_lists_that_change_are_declared_when_the_author_says_so(framework: str, era: Era) -> None:
    """On 2026-07-28 only where subscriptions are served, since there is no other way to tell of a change."""
    server = bare(framework)
    guard(server, list_changed=["tools"])

    async with talk(server, era) as wire:
        declared = wire.hello["capabilities"]["tools"]["listChanged"]

    assert declared is (era is Era.LEGACY or framework == "official")


@BOTH
async def test_subscriptions_are_declared_when_they_are_served(era: Era) -> None:
    handlers: Any = {"on_subscribe_resource": accepted, "on_unsubscribe_resource": accepted}
    server: Server[Any] = Server("notes", on_list_resources=listed, on_read_resource=read, **handlers)
    guard(server)

    async with talk(server, era) as wire:
        resources = wire.hello["capabilities"]["resources"]

    assert resources["subscribe"] is (era is Era.LEGACY)
    assert resources["listChanged"] is False


@BOTH
@pytest.mark.parametrize("said", [None, True])
async def test_the_official_sdk_declares_subscriptions_that_nobody_publishes_to(
    era: Era, said: bool | None
) -> None:
    server = MCPServer("notes", log_level="CRITICAL")

    @server.resource("note://a")
    def note() -> str:
        return "a"

    guard(server, subscribe=said)

    async with talk(server, era) as wire:
        flag = wire.hello["capabilities"]["resources"]["subscribe"]

    assert flag is (said is True and era is Era.MODERN)


@BOTH
async def test_resources_without_templates_have_an_empty_list_of_them(era: Era) -> None:
    """Of the servers that declare resources, many do not know the list of templates."""
    server: Server[Any] = Server("notes", on_list_resources=listed, on_read_resource=read)
    guard(server)

    async with talk(server, era) as wire:
        assert await wire.listed("resources/templates/list") == []
        assert await wire.listed("resources/list") == ["note://a"]


@BOTH
async def test_a_list_that_may_be_empty_is_declared(era: Era) -> None:
    server = MCPServer("later", log_level="CRITICAL")
    guard(server, may_be_empty=["prompts"])

    async with talk(server, era) as wire:
        assert wire.hello["capabilities"].keys() == {"prompts"}
        assert await wire.listed("prompts/list") == []
        assert (await wire.error("tools/list"))["code"] == -32601


@BOTH
@pytest.mark.parametrize("declared_first", [True, False])
@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_possible_capabilities_are_declared_in_any_order(
    framework: str, era: Era, declared_first: bool
) -> None:
    """A prompt that nobody may use now: the capability is there, and its list is empty."""
    server = bare(framework)
    if declared_first:
        avowed = declare(server)
        guard(server)
    else:
        guard(server)
        avowed = declare(server)
    avowed.possible_prompt("later", available=lambda context: False)(lambda: "later")

    async with talk(server, era) as wire:
        capabilities = wire.hello["capabilities"]
        assert await wire.listed("prompts/list") == []
        assert (await wire.error("resources/list"))["code"] == -32601

    assert "signature" in capabilities
    assert "resources" not in capabilities
    assert capabilities["prompts"]["listChanged"] is True
    assert capabilities["tools"]["listChanged"] is False


@BOTH
async def test_kinds_that_cannot_be_enumerated_stay_declared(era: Era) -> None:
    server = bare("official")
    declare(server, incomplete=["resources"])
    guard(server)

    async with talk(server, era) as wire:
        assert "resources" in wire.hello["capabilities"]
        assert await wire.listed("resources/list") == []


async def test_fastmcp_declares_interfaces_only_for_tools_that_have_one() -> None:
    from fastmcp import FastMCP

    with_one: FastMCP[Any] = FastMCP("seen")

    def shown() -> str:
        return "a"

    with_one.tool(shown, meta={"ui": {"resourceUri": "ui://a"}})
    without = bare("fastmcp")
    told = []
    for server in (with_one, without):
        guard(server)
        async with talk(server, Era.MODERN) as wire:
            told.append("io.modelcontextprotocol/ui" in wire.hello["capabilities"].get("extensions", {}))

    assert told == [True, False]


async def test_completions_need_something_to_complete() -> None:
    server = MCPServer("empty", log_level="CRITICAL")

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(ref: Any, argument: Any, context: Any) -> Any:
        return None

    server.tool("a")(lambda: "a")
    guard(server)

    async with talk(server, Era.LEGACY) as wire:
        assert wire.hello["capabilities"].keys() == {"tools"}


async def test_an_older_sdk_option_is_still_the_authors_word_for_it() -> None:
    """`NotificationOptions` says that changes are told; the guard wants to hear it, too."""
    server = bare("lowlevel")
    guard(server)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))

    assert options.capabilities.tools.list_changed is True
    async with talk(server, Era.LEGACY) as wire:
        assert wire.hello["capabilities"]["tools"] == {"listChanged": False}
