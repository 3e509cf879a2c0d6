from mcp.server.lowlevel import Server
from mcp.types import InitializedNotification

app = Server("a")
ACTIVE = set()


async def on_initialized(notification):  # expect: AVW042
    ACTIVE.add(app.request_context.session)


app.notification_handlers[InitializedNotification] = on_initialized
