from mcp.server.lowlevel import NotificationOptions, Server

app = Server("live")
OPTIONS = app.create_initialization_options(NotificationOptions(tools_changed=True))


@app.list_tools()
async def list_tools():
    return []


async def reload(session):
    await session.send_tool_list_changed()
