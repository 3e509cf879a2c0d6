SUPPORTED = ("2025-11-25", "2025-06-18")


def initialize(params):  # expect: AVW032
    version = params["protocolVersion"]
    if version not in SUPPORTED:
        version = SUPPORTED[0]
    return {"protocolVersion": version, "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
