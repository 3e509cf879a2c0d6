from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeResult, ServerCapabilities, ToolsCapability
from mcp.types import InitializeRequest as Asked

server = Server("notes")


async def initialize(request: Asked) -> InitializeResult:
    advanced = request.params.capabilities.experimental.get("advanced")
    return InitializeResult(
        protocolVersion="2025-11-25",
        capabilities=ServerCapabilities(
            tools=ToolsCapability(),
            experimental={"advanced": {}} if advanced else None,  # expect: AVW010
        ),
        serverInfo=Implementation(name="notes", version="1"),
    )


server.request_handlers[Asked] = initialize
