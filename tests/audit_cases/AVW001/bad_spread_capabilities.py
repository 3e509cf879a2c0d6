from mcp.server.lowlevel import Server
from mcp.types import ServerCapabilities, Tool, ToolsCapability

server = Server("notes")
OFFERED = {"tools": ToolsCapability(), **{"prompts": {}}}  # expect: AVW001


@server.list_tools()
async def tools() -> list[Tool]:
    return []


def capabilities() -> ServerCapabilities:
    return ServerCapabilities(**OFFERED)
