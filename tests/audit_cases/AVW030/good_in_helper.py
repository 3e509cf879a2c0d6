SUPPORTED = ("2025-11-25", "2025-06-18")


def negotiate(asked):
    if asked not in SUPPORTED:
        raise ValueError(f"unsupported version {asked}")
    return asked


def initialize(params):
    return {
        "protocolVersion": negotiate(params["protocolVersion"]),
        "serverInfo": {"name": "a", "version": "1"},
        "capabilities": {"tools": {}},
    }


METHODS = {"initialize": initialize}
