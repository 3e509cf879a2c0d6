from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeRequest, InitializeResult, ServerCapabilities, ToolsCapability

server = Server("notes")


async def initialize(request: InitializeRequest) -> InitializeResult:
    on = request.params.capabilities.experimental
    on = False
    return InitializeResult(
        protocolVersion="2025-11-25",
        capabilities=ServerCapabilities(
            tools=ToolsCapability(),
            experimental={"advanced": {}} if on else None,
        ),
        serverInfo=Implementation(name="notes", version="1"),
    )


server.request_handlers[InitializeRequest] = initialize
