"""Python objects for the tests to name: servers of the SDK, and things that are none."""

import mcp.types as types
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

high = MCPServer("high", instructions="Add things.")


@high.tool()
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@high.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


@high.resource("note://{number}")
def note(number: int) -> str:
    """Read a note."""
    return str(number)


async def list_tools(context: object, params: object) -> types.ListToolsResult:
    schema = {"type": "object", "x-unknown": 1.0}
    return types.ListToolsResult(tools=[types.Tool(name="low_tool", input_schema=schema)])


low = Server("low", on_list_tools=list_tools)


class Holder:
    """A place inside a module."""

    inner = high


nothing = 7
