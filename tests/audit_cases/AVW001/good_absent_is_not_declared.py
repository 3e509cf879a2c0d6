from mcp.server.lowlevel import Server
from mcp.types import ServerCapabilities, ToolsCapability

app = Server("pages")


@app.list_tools()
async def list_tools():
    return []


CAPABILITIES = ServerCapabilities(tools=ToolsCapability(), prompts=None, resources=None)
