class Server:
    def __init__(self):
        self.handlers = {
            "initialize": self._initialize,
            "prompts/list": self._prompts,
        }

    def _initialize(self, params):
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"prompts": {}}}

    def _prompts(self, params):  # expect: AVW040
        return {"prompts": []}

    def dispatch(self, message):
        return self.handlers[message["method"]](message.get("params"))
