from avow import server as avow
from mcp.server.lowlevel import Server

app = Server("a")
avow.guard(app)


@app.list_tools()
async def list_tools():
    return []
