def initialize():
    return {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "own", "version": "1"},
        "capabilities": {"tools": {"listChanged": False}, "resources": {"subscribe": False}},
    }
