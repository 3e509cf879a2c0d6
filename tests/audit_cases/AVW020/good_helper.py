from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP("files")


def require_elicitation(ctx: Context) -> None:
    if ctx.session.client_params.capabilities.elicitation is None:
        raise RuntimeError("this client cannot be asked")


@mcp.tool()
async def remove(path: str, ctx: Context) -> str:
    require_elicitation(ctx)
    answer = await ctx.elicit(f"remove {path}?", schema=dict)
    return str(answer)
