from mcp.server.mcpserver import MCPServer

from avow.server import guard

mcp = MCPServer("notes")  # expect: AVW041


@mcp.tool()
def add() -> int:
    return 1


def never() -> None:
    guard(mcp)
