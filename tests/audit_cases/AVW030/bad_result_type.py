from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeRequest, InitializeResult, ServerCapabilities

app = Server("a")


async def initialize(request):
    return InitializeResult(
        protocolVersion=request.params.protocolVersion,  # expect: AVW030
        serverInfo=Implementation(name="a", version="1"),
        capabilities=ServerCapabilities(),
    )


app.request_handlers[InitializeRequest] = initialize
