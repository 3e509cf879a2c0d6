BASELINE = "2025-06-18"


def handle(message):
    match message:
        case {"method": "initialize", "params": params}:
            asked_version = params["protocolVersion"]
            batching = asked_version <= BASELINE  # expect: AVW031
            return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}, "b": batching}
        case {"method": "tools/list"}:
            return {"tools": []}
