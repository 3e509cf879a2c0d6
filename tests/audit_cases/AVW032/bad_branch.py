SUPPORTED_VERSIONS = frozenset({"2025-11-25", "2024-11-05"})


def handle(message):
    if message["method"] == "initialize":  # expect: AVW032
        asked_version = message["params"]["protocolVersion"]
        if asked_version not in SUPPORTED_VERSIONS:
            raise ValueError("unsupported")
        return {"protocolVersion": asked_version, "serverInfo": {}, "capabilities": {}}
