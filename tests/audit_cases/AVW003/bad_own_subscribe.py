def handle(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "serverInfo": {"name": "own", "version": "1"},
            "capabilities": {"resources": {"subscribe": True}},  # expect: AVW003
        }
    if method == "resources/list":
        return {"resources": []}
