from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP("files")


@mcp.tool()
async def remove(path: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"remove {path}?", schema=dict)  # expect: AVW020
    return str(answer)
