from mcp.server.lowlevel import Server
from mcp.types import InitializeRequest

from .features import features_for

app = Server("a")


async def initialize(request):
    return {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "a", "version": "1"},
        "capabilities": {"tools": {}},
        "_meta": {"features": features_for(request.params.capabilities)},
    }


app.request_handlers[InitializeRequest] = initialize
