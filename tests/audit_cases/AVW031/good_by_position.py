SUPPORTED = ["2024-11-05", "2025-03-26", "2025-11-25"]


def initialize(params):
    version = params["protocolVersion"]
    if version not in SUPPORTED:
        raise ValueError("unsupported")
    if SUPPORTED.index(version) < 1:
        raise ValueError("too old")
    return {"protocolVersion": version, "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
