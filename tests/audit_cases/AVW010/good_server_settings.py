import os

ADVANCED = os.environ.get("ADVANCED") == "1"


def handle(message):
    if message["method"] == "initialize":
        capabilities = {"tools": {}}
        if ADVANCED:
            capabilities["experimental"] = {"advanced": {}}
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": capabilities}
