"""A server on the official SDK 2 that does what published ones of this era do not: ask, log, wait, complete.

It speaks both eras on standard input and output.
"""

import base64
from typing import Any

import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from pydantic import BaseModel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

server = MCPServer("workshop", version="1.0", title="Workshop", instructions="Bring your own wood. ⚒")
waiting: set[int] = set()
left: list[str] = []


class Board(BaseModel):
    length: float
    wood: str | None = None


@server.tool(annotations=types.ToolAnnotations(read_only_hint=True), meta={"example.org/bench": 3})
def saw(length: float, parts: int = 2) -> list[Board]:
    """Saw a board into equal parts."""
    return [Board(length=length / parts, wood="oak") for _ in range(parts)]


@server.tool(structured_output=False)
def draw() -> list[Any]:
    """A picture and a resource, with words."""
    contents = types.TextResourceContents(uri="plan://table", mime_type="text/plain", text="four legs")
    return [
        types.TextContent(type="text", text="line\u2028separator, 𝄞 and \u0000"),
        types.ImageContent(type="image", data=PIXEL, mime_type="image/png"),
        types.EmbeddedResource(type="resource", resource=contents),
    ]


@server.tool()
def fail(reason: str) -> str:
    """Fail, with a reason."""
    raise ToolError(reason)


@server.tool()
async def plane(strokes: int, ctx: Context) -> str:
    """Say how far it is, and log each stroke."""
    for stroke in range(1, strokes + 1):
        await ctx.report_progress(stroke, strokes, f"stroke {stroke}")
        await ctx.info(f"stroke {stroke}")
    return "smooth"


@server.tool()
async def dry(ctx: Context) -> str:
    """Take a minute, unless somebody cancels."""
    number = len(left) + len(waiting)
    waiting.add(number)
    try:
        await ctx.report_progress(0, 1)
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        left.append("cancelled")
        raise
    finally:
        waiting.discard(number)
    return "dry"


@server.tool()
async def shelf() -> list[str]:
    """What became of what was drying, once nothing does."""
    with anyio.move_on_after(10):
        while waiting:
            await anyio.sleep(0.02)
    found = [*left, *("still drying" for _ in waiting)]
    left.clear()
    return found


@server.tool()
async def consult(ctx: Context) -> str | types.InputRequiredResult:
    """Ask the user for a wood, in the way of the era."""
    schema = {"type": "object", "properties": {"wood": {"type": "string"}}, "required": ["wood"]}
    params = types.ElicitRequestFormParams(message="Which wood?", requested_schema=schema)
    if (ctx.protocol_version or "") < "2026":
        asked = await ctx.session.elicit_form(params.message, schema)
        return f"{asked.action}: {asked.content}"
    answer: Any = (ctx.input_responses or {}).get("wood")
    if answer is not None:
        return f"{answer.action}: {answer.content}"
    return types.InputRequiredResult(
        input_requests={"wood": types.ElicitRequest(params=params)}, request_state="first round"
    )


@server.resource("plan://table", mime_type="text/plain")
def table() -> str:
    """How to build a table."""
    return "four legs and a top"


@server.resource("photo://table", mime_type="image/png")
def photo() -> bytes:
    """A table, far away."""
    return base64.b64decode(PIXEL)


@server.resource("board://{wood}/{length}")
def board(wood: str, length: str) -> str:
    """One board."""
    return f"{length} of {wood}"


@server.prompt(title="Build something")
def build(what: str, wood: str = "oak") -> list[UserMessage]:
    """Ask for instructions."""
    picture = types.ImageContent(type="image", data=PIXEL, mime_type="image/png")
    return [UserMessage(f"How do I build a {what} of {wood}?"), UserMessage(picture)]


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
async def complete(ref: Any, argument: Any, context: Any) -> types.Completion:
    found = [wood for wood in ("oak", "olive", "pine") if wood.startswith(argument.value)]
    return types.Completion(values=found, total=len(found), has_more=False)


server.run("stdio")
