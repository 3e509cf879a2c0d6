from mcp.server.lowlevel import NotificationOptions, Server

app = Server("experiments")
CAPABILITIES = app.get_capabilities(
    notification_options=NotificationOptions(),
    experimental_capabilities={"time_travel": {}},  # expect: AVW004
)
