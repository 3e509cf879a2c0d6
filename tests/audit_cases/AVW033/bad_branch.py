def handle(message):
    method = message.get("method")
    if method == "initialize":  # expect: AVW033
        return {"protocolVersion": "2024-11-05", "serverInfo": {}, "capabilities": {"tools": {}}}
    elif method == "tools/list":
        return {"tools": []}
