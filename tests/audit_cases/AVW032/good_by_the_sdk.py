from mcp.server.fastmcp import FastMCP

mcp = FastMCP("a")


@mcp.tool()
def one() -> int:
    return 1
