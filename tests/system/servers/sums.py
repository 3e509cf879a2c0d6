"""A server on the official SDK: over stdio, or over HTTP at the port that it is told."""

import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("sums", instructions="Add and subtract.")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def ask(ctx: Context) -> str:
    """Report progress."""
    await ctx.report_progress(1, 2)
    return "done"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Say hello to {name}."


@server.resource("notes://{title}")
def note(title: str) -> str:
    """A note."""
    return f"This is {title}."


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run("stdio")
