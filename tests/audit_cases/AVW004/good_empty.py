from mcp.server.lowlevel import NotificationOptions, Server

app = Server("plain")
CAPABILITIES = app.get_capabilities(NotificationOptions(), experimental_capabilities={})
