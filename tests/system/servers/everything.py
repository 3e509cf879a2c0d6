"""A server on the official SDK with what the conformance suite asks servers for, over HTTP.

The first argument is the port. What the suite looks for is in its own documentation; here it is as short
as it can be.
"""

import asyncio
import base64
import sys
from typing import Any

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from pydantic import BaseModel, Field

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SOUND = base64.b64encode(b"RIFF$\0\0\0WAVEfmt ").decode()

server = MCPServer("everything")


class Memory(EventStore):
    """Events to resume from."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.kept.append((stream_id, message))
        return str(len(self.kept))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        stream = self.kept[int(last_event_id) - 1][0]
        for number, (owner, message) in enumerate(self.kept[int(last_event_id) :], int(last_event_id) + 1):
            if owner == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class Name(BaseModel):
    name: str = Field(default="John Doe")


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str = "test://embedded-resource") -> types.EmbeddedResource:
    words = "This is an embedded resource content."
    contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
    return types.EmbeddedResource(type="resource", resource=contents)


@server.tool()
def test_simple_text() -> str:
    """A text."""
    return "This is a simple text response for testing."


@server.tool(structured_output=False)
def test_image_content() -> types.ImageContent:
    """A picture."""
    return image()


@server.tool(structured_output=False)
def test_audio_content() -> types.AudioContent:
    """A sound."""
    return types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")


@server.tool(structured_output=False)
def test_embedded_resource() -> types.EmbeddedResource:
    """A resource."""
    return embedded()


@server.tool(structured_output=False)
def test_multiple_content_types() -> list[Any]:
    """All kinds."""
    text = types.TextContent(type="text", text="Multiple content types test:")
    return [text, image(), embedded("test://mixed-content-resource")]


@server.tool()
async def test_tool_with_logging(ctx: Context) -> str:
    """Says what it does."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(words)
        await asyncio.sleep(0.05)
    return "logged"


@server.tool()
async def test_tool_with_progress(ctx: Context) -> str:
    """Says how far it is."""
    for step in (0, 50, 100):
        await ctx.report_progress(step, 100)
        await asyncio.sleep(0.05)
    return "done"


@server.tool()
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Asks the client's model."""
    content = types.TextContent(type="text", text=prompt)
    message = types.SamplingMessage(role="user", content=content)
    answer: Any = await ctx.session.create_message([message], max_tokens=100)
    return f"LLM response: {answer.content.text}"


@server.tool()
async def test_elicitation(message: str, ctx: Context) -> str:
    """Asks the user."""
    answer = await ctx.elicit(message, Name)
    return f"User response: {answer.action}"


@server.tool()
async def test_streaming_elicitation(ctx: Context) -> str:
    """Has nothing to ask."""
    return "no question"


@server.tool()
async def test_logging_tool(ctx: Context) -> str:
    """Says something."""
    await ctx.info("said")
    return "logged"


@server.tool()
def test_error_handling() -> str:
    """Fails."""
    raise RuntimeError("This tool intentionally returns an error for testing")


@server.tool()
async def test_reconnection(ctx: Context) -> str:
    """Closes its stream in the middle of the work."""
    await ctx.close_sse_stream()
    await asyncio.sleep(0.1)
    return "Reconnection test completed"


@server.tool()
def greet(name: str = "you") -> str:
    """Says hello."""
    return f"Hello, {name}!"


@server.tool()
def slow_compute(seconds: float = 0) -> str:
    """Is quick."""
    return "computed"


@server.tool()
async def test_input_required_result_elicitation(ctx: Context) -> str | types.InputRequiredResult:
    """Asks for a name first, with its result."""
    answer: Any = (ctx.input_responses or {}).get("user_name")
    if answer is not None:
        return f"Hello, {(answer.content or {}).get('name')}!"
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    params = types.ElicitRequestFormParams(message="What is your name?", requested_schema=schema)
    return types.InputRequiredResult(input_requests={"user_name": types.ElicitRequest(params=params)})


def quick() -> str:
    """Is done at once."""
    return "done"


for name in ("confirm_delete", "failing_job", "multi_input", "protocol_error_job", "test_tool_with_task"):
    server.add_tool(quick, name=name)


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture."""
    return base64.b64decode(PIXEL)


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:  # noqa: A002 - the suite names it
    """A text for each id."""
    return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


@server.resource("test://{name}")
def anything(name: str) -> str:
    """Nothing else is there."""
    raise ValueError(f"unknown resource {name}")


@server.prompt()
def test_simple_prompt() -> str:
    """A prompt."""
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:
    """A prompt with a resource."""
    return [UserMessage(embedded(resourceUri)), UserMessage("Please process the embedded resource above.")]


@server.prompt()
def test_prompt_with_image() -> list[Any]:
    """A prompt with a picture."""
    return [UserMessage(image()), UserMessage("Please analyze the image above.")]


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
async def complete(ref: Any, argument: Any, context: Any) -> types.Completion:
    return types.Completion(values=[], total=0, has_more=False)


server.run("streamable-http", port=int(sys.argv[1]), event_store=Memory(), retry_interval=500)
