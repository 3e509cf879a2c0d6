from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeRequest, InitializeResult, ServerCapabilities, ToolsCapability

server = Server("notes")


async def initialize(request: InitializeRequest) -> InitializeResult:
    if (claimed := request.params.capabilities) and (more := claimed.experimental) and more.get("advanced"):  # expect: AVW010
        on = True
    else:
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
