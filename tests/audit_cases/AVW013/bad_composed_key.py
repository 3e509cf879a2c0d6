class Server:
    def __init__(self):
        self.clients = {}

    def initialize(self, params):
        info = params["clientInfo"]
        self.clients[f"{info['name']}-{info['version']}"] = object()  # expect: AVW013
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}

    def methods(self):
        return {"initialize": self.initialize}
