from mcp.server.lowlevel import Server
from mcp.types import InitializeRequest

app = Server("a")


async def initialize(request):
    options = request.params.initializationOptions
    client_secret = options["client_secret"]  # expect: AVW012
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}, "used": bool(client_secret)}


app.request_handlers[InitializeRequest] = initialize
