def initialize(params):
    if params["protocolVersion"] < "2025-03-26":  # expect: AVW031
        raise ValueError("too old")
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
