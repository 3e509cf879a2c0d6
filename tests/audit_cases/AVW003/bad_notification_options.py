from mcp.server.lowlevel import NotificationOptions, Server

app = Server("fixed")


@app.list_tools()
async def list_tools():
    return []


OPTIONS = app.create_initialization_options(
    notification_options=NotificationOptions(tools_changed=True),  # expect: AVW003
)
