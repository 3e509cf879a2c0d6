def build_capabilities():
    capabilities = {"tools": {}}
    capabilities["sampling"] = {}  # expect: AVW002
    return capabilities


def handle(message):
    if message["method"] == "initialize":
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": build_capabilities()}
