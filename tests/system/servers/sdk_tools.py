"""A server of the official SDK as most people write it: nothing but a tool; `--http PORT` serves it there."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("sdk-tools", version="1.0.0")


@server.tool()
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


if __name__ == "__main__":
    if "--http" in sys.argv:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[-1]))
    else:
        server.run()
