def active_only(function):
    return function


class Server:
    phase = "new"

    def handle(self, method, params):
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}
        if method == "tools/list":
            self.require_active()
            return {"tools": []}

    def require_active(self):
        if self.phase != "active":
            raise RuntimeError(self.phase)
