class Server:
    def __init__(self):
        self.initialized = False
        self.handlers = {"initialize": self._initialize, "tools/list": self._tools}

    def _initialize(self, params):
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}

    def _tools(self, params):
        return {"tools": []}

    def dispatch(self, message):
        if message["method"] != "initialize" and not self.initialized:
            raise RuntimeError("the session is not active")
        return self.handlers[message["method"]](message.get("params"))
