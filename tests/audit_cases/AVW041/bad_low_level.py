from mcp.server import Server

app = Server("a")  # expect: AVW041


@app.list_tools()
async def list_tools():
    return []
