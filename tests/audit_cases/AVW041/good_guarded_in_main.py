from mcp.server.mcpserver import MCPServer

from avow.server import guard

mcp = MCPServer("notes")


@mcp.tool()
def add() -> int:
    return 1


def main() -> None:
    guard(mcp)
    mcp.run()
