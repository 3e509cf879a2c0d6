import json
import sys


def capabilities():
    found = {"tools": {}}
    found["resources"] = {}  # expect: AVW001
    return found


def answer(message):
    method = message["method"]
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "serverInfo": {"name": "own", "version": "1"},
            "capabilities": capabilities(),
        }
    elif method == "tools/list":
        return {"tools": []}
    raise ValueError(method)


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
