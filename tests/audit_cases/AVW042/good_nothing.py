def handle(message):
    if message["method"] == "notifications/initialized":
        return None
    if message["method"] == "initialize":
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}
