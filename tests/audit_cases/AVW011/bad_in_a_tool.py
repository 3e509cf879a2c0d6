from fastmcp import Context, FastMCP

mcp = FastMCP("files")


@mcp.tool
async def remove(path: str, ctx: Context) -> str:
    if ctx.session.client_params.clientInfo.name in ("admin-cli",):  # expect: AVW011
        return "removed"
    return "refused"
