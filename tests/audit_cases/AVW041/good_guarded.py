from fastmcp import FastMCP

from avow.server import guard

mcp = FastMCP("a")
guard(mcp)


@mcp.tool
def one() -> int:
    return 1
