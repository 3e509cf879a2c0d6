class Session:
    phase = "new"

    def handle(self, method):
        if method == "initialize":
            self.phase = "answered"
            return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}
        if method == "notifications/initialized":
            if self.phase != "answered":
                raise RuntimeError(self.phase)
            self.phase = "active"
