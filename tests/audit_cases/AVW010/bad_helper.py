def grant(claimed):
    features = set()
    if claimed.get("experimental", {}).get("shell"):  # expect: AVW010
        features.add("shell")
    return features


def handle(message):
    if message["method"] == "initialize":
        features = grant(message["params"]["capabilities"])
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}, "x": features}
