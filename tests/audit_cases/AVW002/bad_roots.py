def initialize():
    return {
        "protocolVersion": "2025-06-18",
        "serverInfo": {"name": "own", "version": "1"},
        "capabilities": {
            "tools": {},
            "roots": {"listChanged": True},  # expect: AVW002
        },
    }
