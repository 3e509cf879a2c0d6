import logging

from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("notes")


def client_name(ctx: Context) -> str:
    return ctx.session.client_params.clientInfo.name


@mcp.tool()
async def wipe(ctx: Context) -> str:
    logging.info("asked by %s", client_name(ctx))
    return "no"
