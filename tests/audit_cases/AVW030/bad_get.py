def initialize(params):
    version = params.get("protocolVersion", "2025-11-25")
    return {
        "protocolVersion": version,  # expect: AVW030
        "serverInfo": {"name": "a", "version": "1"},
        "capabilities": {"tools": {}},
    }


METHODS = {"initialize": initialize}
