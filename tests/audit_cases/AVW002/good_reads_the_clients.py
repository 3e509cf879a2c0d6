from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP("reader")


@mcp.tool()
async def can_sample(ctx: Context) -> bool:
    capabilities = ctx.session.client_params.capabilities
    return capabilities.sampling is not None
