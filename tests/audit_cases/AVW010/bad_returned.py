from mcp.server.lowlevel import Server
from mcp.types import Implementation, InitializeRequest, InitializeResult, ServerCapabilities, ToolsCapability

server = Server("notes")


def wants_advanced(claimed):
    return bool(claimed.experimental and claimed.experimental.get("advanced"))


async def initialize(request: InitializeRequest) -> InitializeResult:
    on = wants_advanced(request.params.capabilities)
    return InitializeResult(
        protocolVersion="2025-11-25",
        capabilities=ServerCapabilities(
            tools=ToolsCapability(),
            experimental={"advanced": {}} if on else None,  # expect: AVW010
        ),
        serverInfo=Implementation(name="notes", version="1"),
    )


server.request_handlers[InitializeRequest] = initialize
