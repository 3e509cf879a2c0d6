from mcp.server.fastmcp import FastMCP

mcp = FastMCP("vault")


@mcp.tool()
def store(name: str, password: str) -> str:
    return f"stored {name} with {len(password)} characters"
