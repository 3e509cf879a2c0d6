def initialize(params):
    if not params.get("clientInfo"):
        raise ValueError("clientInfo is missing")
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}


METHODS = {"initialize": initialize}
