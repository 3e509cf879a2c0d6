from mcp.server.lowlevel import Server

app = Server("files")


class Workspace:
    async def roots(self):
        session = app.request_context.session
        return (await session.list_roots()).roots  # expect: AVW020
