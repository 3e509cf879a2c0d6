def handle(message):
    method = message["method"]
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}
    elif method == "tools/list":  # expect: AVW040
        return {"tools": []}
    elif method == "tools/call":  # expect: AVW040
        return {"content": []}
