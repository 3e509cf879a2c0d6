from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeRequest, InitializeResult, ServerCapabilities, ToolsCapability

server = Server("notes")


async def initialize(request: InitializeRequest) -> InitializeResult:
    claimed, _ = request.params.capabilities, request.params.clientInfo
    on = claimed.experimental["advanced"]
    return InitializeResult(
        protocolVersion="2025-11-25",
        capabilities=ServerCapabilities(
            tools=ToolsCapability(),
            experimental={"advanced": {}} if on else None,  # expect: AVW010
        ),
        serverInfo=Implementation(name="notes", version="1"),
    )


server.request_handlers[InitializeRequest] = initialize
