VERSIONS = {"2025-11-25": 2, "2025-06-18": 1}


def initialize(params):
    version = params["protocolVersion"]
    if version not in VERSIONS:
        version = "2025-11-25"
    return {"protocolVersion": version, "serverInfo": {}, "capabilities": {"tools": {}}}


METHODS = {"initialize": initialize}
