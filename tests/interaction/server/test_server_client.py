"""The SDK's own client, which knows nothing of signatures, with declared servers in memory."""

from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import Request, RequestParams, Result
from pydantic import ConfigDict

from avow.core.snapshot import Era
from avow.server.seam import lowlevel_of
from declaring.servers import FRAMEWORKS, server

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("era", list(Era)),
    pytest.mark.parametrize("framework", FRAMEWORKS),
]
MODES = {Era.LEGACY: "legacy", Era.MODERN: "auto"}


class SignatureRequest(Request[RequestParams, str]):
    """A request that the SDK does not know."""

    method: str = "signature"
    params: RequestParams


class Anything(Result):
    """A result with whatever it has."""

    model_config = ConfigDict(extra="allow")


async def test_an_ordinary_client_sees_an_ordinary_server(framework: str, era: Era) -> None:
    mcp, _ = server(framework)

    async with Client(lowlevel_of(mcp), mode=MODES[era]) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        resources = [resource.uri for resource in (await client.list_resources()).resources]
        greeting = await client.call_tool("greet", {"name": "Ada"})
        with pytest.raises(MCPError, match="tool 'admin_dashboard' is not available to you now"):
            await client.call_tool("admin_dashboard", {})

    assert (tools, prompts, resources) == (["greet"], ["summarize"], ["note://public"])
    assert greeting.content[0].text == "Hello, Ada."  # type: ignore[union-attr]


async def test_a_client_can_ask_for_the_signature(framework: str, era: Era) -> None:
    mcp, _ = server(framework)

    async with Client(lowlevel_of(mcp), mode=MODES[era]) as client:
        request: Any = SignatureRequest(params=RequestParams())
        answer = await client.session.send_request(request, Anything)
        announced = client.server_capabilities.extensions or {}

    signature = answer.model_dump(by_alias=True)
    assert {"greet", "admin_dashboard"} == {tool["name"] for tool in signature["tools"]}
    if era is Era.MODERN:
        assert announced["dev.avow/signature"] == {"digest": signature["digest"]}


async def test_a_subscription_of_the_client_hears_of_a_change(framework: str, era: Era) -> None:
    mcp, avowed = server(framework)
    heard = anyio.Event()

    async def handle(message: object) -> None:
        if type(message).__name__ == "ToolListChangedNotification":
            heard.set()

    with anyio.fail_after(20):
        async with Client(lowlevel_of(mcp), mode=MODES[era], message_handler=handle) as client:
            await client.list_tools()
            if era is Era.LEGACY:
                await avowed.availability_changed()
                await heard.wait()
                return
            async with client.listen(tools_list_changed=True) as changes:
                await avowed.availability_changed()
                assert type(await anext(aiter(changes))).__name__ == "ToolsListChanged"
