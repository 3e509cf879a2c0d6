class Session:
    def handle(self, method):
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}
        if method == "notifications/initialized":  # expect: AVW042
            self.phase = "active"
