from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP("files")


@mcp.tool()
async def remove(path: str, ctx: Context) -> str:
    claimed = ctx.session.client_params.capabilities.experimental or {}
    if claimed.get("allow_writes"):  # expect: AVW010
        return "removed"
    return "refused"
