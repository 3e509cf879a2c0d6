SESSIONS = {}


def handle(message):
    match message["method"]:
        case "initialize":
            params = message["params"]
            SESSIONS[params["session_id"]] = {"phase": "init"}  # expect: AVW013
            return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}
        case "tools/list":
            return {"tools": []}
