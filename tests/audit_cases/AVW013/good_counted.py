COUNTS = {}


def initialize(params):
    name = params["clientInfo"]["name"]
    COUNTS[name] = COUNTS.get(name, 0) + 1
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
