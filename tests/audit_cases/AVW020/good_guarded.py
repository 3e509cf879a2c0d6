from mcp.server.mcpserver import Context, MCPServer

from avow.server import guard

mcp = MCPServer("notes")


@mcp.tool()
async def ask(ctx: Context) -> str:
    return str(await ctx.elicit("Really?", Answer))


guard(mcp)
