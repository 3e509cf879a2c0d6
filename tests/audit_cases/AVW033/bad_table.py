class Server:
    def __init__(self):
        self.methods = {"initialize": self.initialize, "tools/list": self.list_tools}

    def initialize(self, params):  # expect: AVW033
        return {"protocolVersion": "2024-11-05", "serverInfo": {}, "capabilities": {"tools": {}}}

    def list_tools(self, params):
        return {"tools": []}
