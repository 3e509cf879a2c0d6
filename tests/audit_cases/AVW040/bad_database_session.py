from mcp.server.lowlevel import Server
from mcp.types import InitializeRequest, InitializeResult, ServerCapabilities, ToolsCapability

server = Server("notes")


async def initialize(request: InitializeRequest) -> InitializeResult:
    if request.params.protocolVersion not in SUPPORTED_VERSIONS:
        raise ValueError
    return InitializeResult(
        protocolVersion="2025-11-25",
        capabilities=ServerCapabilities(tools=ToolsCapability()),
        serverInfo=INFO,
    )


server.request_handlers[InitializeRequest] = initialize


@server.call_tool()
async def call(name: str, arguments: dict) -> list:  # expect: AVW040
    with with_session(database) as session:
        return session.run(name)
