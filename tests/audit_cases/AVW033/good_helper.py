def choose(params):
    return "2025-11-25" if params.get("protocolVersion") != "2025-06-18" else "2025-06-18"


def handle(message):
    if message["method"] == "initialize":
        return {"protocolVersion": choose(message["params"]), "serverInfo": {}, "capabilities": {}}
