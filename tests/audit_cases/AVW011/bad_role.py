ROLES = {"ops-console": "admin"}


class Session:
    def initialize(self, params):
        self.role = ROLES.get(params["clientInfo"]["name"], "guest")  # expect: AVW011
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}


SESSION = Session()
METHODS = {"initialize": SESSION.initialize}
