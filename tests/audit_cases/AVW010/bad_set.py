from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeRequest, InitializeResult, ServerCapabilities, ToolsCapability

server = Server("notes")


async def initialize(request: InitializeRequest) -> InitializeResult:
    on = "advanced" in set(request.params.capabilities.experimental.keys())
    return InitializeResult(
        protocolVersion="2025-11-25",
        capabilities=ServerCapabilities(
            tools=ToolsCapability(),
            experimental={"advanced": {}} if on else None,  # expect: AVW010
        ),
        serverInfo=Implementation(name="notes", version="1"),
    )


server.request_handlers[InitializeRequest] = initialize
