from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP("files")


@mcp.tool()
async def remove(path: str, ctx: Context) -> str:
    capabilities = ctx.session.client_params.capabilities
    if capabilities.elicitation is None:
        return "cannot ask"
    answer = await ctx.elicit("really?", schema=dict)
    return str(answer)
