from mcp.server.fastmcp import Context, FastMCP
from mcp.types import ClientCapabilities, RootsCapability

mcp = FastMCP("files")


@mcp.tool()
async def roots(ctx: Context) -> list[str]:
    if not ctx.session.check_client_capability(ClientCapabilities(roots=RootsCapability())):
        return []
    return [str(root.uri) for root in (await ctx.session.list_roots()).roots]
