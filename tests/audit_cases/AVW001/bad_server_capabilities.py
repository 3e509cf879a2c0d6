from mcp.server.lowlevel import Server
from mcp.server.models import InitializationOptions
from mcp.types import PromptsCapability, ServerCapabilities, Tool, ToolsCapability

app = Server("pages")


@app.list_tools()
async def list_tools() -> list[Tool]:
    return []


def options() -> InitializationOptions:
    return InitializationOptions(
        server_name="pages",
        server_version="1",
        capabilities=ServerCapabilities(
            tools=ToolsCapability(),
            prompts=PromptsCapability(),  # expect: AVW001
        ),
    )
