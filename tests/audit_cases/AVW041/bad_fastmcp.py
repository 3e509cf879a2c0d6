from fastmcp import FastMCP

mcp = FastMCP("a")  # expect: AVW041


@mcp.tool
def one() -> int:
    return 1
