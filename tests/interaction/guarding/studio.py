"""A server on the official SDK that uses all of the protocol, and what a client says to it.

As a program it speaks on standard input and output.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp import Client, MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, FileUrl

SCHEMA = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


class Picture(BaseModel):
    title: str
    size: tuple[int, int] | None = None


def studio() -> MCPServer:
    """A fresh server."""
    server = MCPServer("studio", version="1.2", title="Studio", instructions="Wash the brushes. 🖌")
    ended: list[str] = []

    @server.tool(annotations=types.ToolAnnotations(read_only_hint=True), meta={"example.org/easel": 3})
    def paint(title: str, width: int = 3) -> list[Picture]:
        """Paint something."""
        return [Picture(title=title, size=(width, 2)), Picture(title="é \u2028 𝄞")]

    @server.tool(structured_output=False)
    def show() -> list[Any]:
        """Words, a picture and a resource."""
        contents = types.TextResourceContents(uri="sketch://one", mime_type="text/plain", text="a line")
        return [
            types.TextContent(type="text", text="null, NaN and \u0000"),
            types.ImageContent(type="image", data="AAAA", mime_type="image/png"),
            types.EmbeddedResource(type="resource", resource=contents),
        ]

    @server.tool()
    def spill(colour: str) -> str:
        """Fail."""
        raise ToolError(f"{colour} everywhere")

    @server.tool()
    async def mix(strokes: int, ctx: Context) -> str:
        """Say how far it is, and log it."""
        for stroke in range(1, strokes + 1):
            await ctx.report_progress(stroke, strokes, f"stroke {stroke}")
            await ctx.info(f"stroke {stroke}")
        return "mixed"

    @server.tool()
    async def dry(ctx: Context) -> str:
        """Take a minute, unless somebody cancels."""
        try:
            await ctx.report_progress(0, 1)
            await anyio.sleep(60)
        except anyio.get_cancelled_exc_class():
            ended.append("cancelled")
            raise
        return "dry"

    @server.tool()
    async def shelf() -> list[str]:
        """What became of what was drying."""
        with anyio.move_on_after(5):
            while not ended:
                await anyio.sleep(0.01)
        return ended

    @server.tool()
    async def consult(ctx: Context) -> str | types.InputRequiredResult:
        """Ask the user, the model and for the roots, in the way of the era."""
        form = types.ElicitRequestFormParams(message="Which colour?", requested_schema=SCHEMA)
        message = types.SamplingMessage(
            role="user", content=types.TextContent(type="text", text="Describe it.")
        )
        sampling = types.CreateMessageRequestParams(messages=[message], max_tokens=9)
        if (ctx.protocol_version or "") < "2026":
            session = ctx.session
            colour = await session.elicit_form(form.message, SCHEMA)
            words = await session.create_message([message], max_tokens=9)
            roots = await session.list_roots()
            return f"{colour.content} {words.content} {[root.name for root in roots.roots]}"
        answers: Any = ctx.input_responses or {}
        if not answers:
            return types.InputRequiredResult(
                input_requests={
                    "colour": types.ElicitRequest(params=form),
                    "words": types.CreateMessageRequest(params=sampling),
                    "roots": types.ListRootsRequest(),
                },
                request_state="round one",
            )
        names = [root.name for root in answers["roots"].roots]
        return f"{answers['colour'].content} {answers['words'].content} {names}"

    @server.tool()
    async def exhibit(ctx: Context) -> str:
        """Tell everybody who listens."""
        await ctx.notify_tools_changed()
        await ctx.notify_resource_updated("sketch://one")
        return "open"

    @server.resource("sketch://one", mime_type="text/plain")
    def sketch() -> str:
        """A line."""
        return "a line"

    @server.resource("frame://{wood}/{size}")
    def frame(wood: str, size: str) -> str:
        """A frame."""
        return f"{size} of {wood}"

    @server.prompt(title="Describe it")
    def describe(what: str, how: str = "well") -> str:
        """Ask for words."""
        return f"Describe {what} {how}."

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(ref: Any, argument: Any, context: Any) -> types.Completion:
        found = [wood for wood in ("oak", "olive", "pine") if wood.startswith(argument.value)]
        return types.Completion(values=found, total=len(found), has_more=False)

    return server


@asynccontextmanager
async def over_http(server: MCPServer) -> AsyncIterator[str]:
    """The address of the server while it runs in this loop."""
    config = uvicorn.Config(server.streamable_http_app(), port=0, log_level="critical")
    web = uvicorn.Server(config)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(web.serve)
        with anyio.fail_after(10):
            while not web.started:
                await anyio.sleep(0.01)
        port = web.servers[0].sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            web.should_exit = True


class Listener:
    """A user with opinions: what a client's callbacks answer, and everything that they hear."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def options(self) -> dict[str, Any]:
        return {
            "sampling_callback": self.sample,
            "elicitation_callback": self.elicit,
            "list_roots_callback": self.roots,
            "logging_callback": self.log,
            "message_handler": self.notice,
            "log_level": "info",
        }

    async def sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.heard.append(("sample", params.model_dump(by_alias=True, mode="json", exclude_none=True)))
        text = types.TextContent(type="text", text="It is blue.")
        return types.CreateMessageResult(role="assistant", content=text, model="m")

    async def elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.heard.append(("elicit", params.message))
        return types.ElicitResult(action="accept", content={"colour": "blue"})

    async def roots(self, context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl("file:///studio"), name="studio")])

    async def log(self, params: Any) -> None:
        self.heard.append(("log", params.data))

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.heard.append(("progress", progress, total, message))

    async def notice(self, message: Any) -> None:
        if not isinstance(message, Exception) and message.method.endswith(("list_changed", "updated")):
            self.heard.append(("notice", message.method))


async def talk(client: Client, listener: Listener) -> list[Any]:
    """Everything at once; what came back, and what was heard, in an order that does not depend on luck."""
    said: list[Any] = [client.protocol_version, _plain(client.server_info), client.instructions]
    said.append(_plain(client.server_capabilities))
    for list_them in (client.list_tools, client.list_prompts, client.list_resources):
        said.append(_plain(await list_them()))
    said.append(_plain(await client.list_resource_templates()))
    said.append(_plain(await client.call_tool("paint", {"title": "Sea", "width": 9})))
    said.append(_plain(await client.call_tool("show", {})))
    said.append(_plain(await client.call_tool("spill", {"colour": "red"})))
    said.append(_plain(await client.call_tool("mix", {"strokes": 3}, progress_callback=listener.progress)))
    said.append(_plain(await client.call_tool("consult", {})))
    said.append(_plain(await client.read_resource("sketch://one")))
    said.append(_plain(await client.read_resource("frame://oak/9")))
    said.append(_plain(await client.get_prompt("describe", {"what": "a line"})))
    reference = types.PromptReference(type="ref/prompt", name="describe")
    said.append(_plain(await client.complete(reference, {"name": "how", "value": "o"})))
    try:
        said.append(_plain(await client.get_prompt("describe", {})))
    except MCPError as exc:
        said.append((type(exc), exc.code, exc.message, exc.data))
    said.append(await _cancelled(client))
    if client.protocol_version >= "2026":
        said.append(await _subscribed(client))
    return [*said, sorted(map(repr, listener.heard))]


async def _cancelled(client: Client) -> Any:
    async with anyio.create_task_group() as tasks:
        begun = anyio.Event()

        async def begin(progress: float, total: float | None, message: str | None) -> None:
            begun.set()

        async def call() -> None:
            await client.call_tool("dry", {}, progress_callback=begin)

        tasks.start_soon(call)
        with anyio.fail_after(10):
            await begun.wait()
        tasks.cancel_scope.cancel()
    return _plain(await client.call_tool("shelf", {}))


async def _subscribed(client: Client) -> list[str]:
    events: list[str] = []
    async with client.listen(
        tools_list_changed=True, resource_subscriptions=["sketch://one"]
    ) as subscription:
        await client.call_tool("exhibit", {})
        with anyio.fail_after(10):
            async for event in subscription:
                events.append(repr(event))
                if len(events) == 2:
                    break
    return sorted(events)


def _plain(value: Any) -> Any:
    return None if value is None else value.model_dump(by_alias=True, mode="json", exclude_unset=True)


if __name__ == "__main__":
    studio().run()
