from mcp.server.mcpserver import MCPServer

from avow.server import guard



def notes() -> MCPServer:
    mcp = MCPServer("notes")
    mcp.add_tool(print)
    guard(mcp)
    return mcp


notes().run()
