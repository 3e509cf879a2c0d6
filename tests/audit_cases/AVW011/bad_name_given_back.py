from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("notes")


def client_name(ctx: Context) -> str:
    return ctx.session.client_params.clientInfo.name


@mcp.tool()
async def wipe(ctx: Context) -> str:
    if client_name(ctx) == "admin-console":  # expect: AVW011
        return delete_everything()
    return "no"
