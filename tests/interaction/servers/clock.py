"""A server that writes the current time into a schema's default, as some real ones do."""

import json
import sys
import time

for line in sys.stdin:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request.get("id")}
    match request.get("method"):
        case "initialize":
            answer["result"] = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "clock", "version": "1"},
            }
        case "tools/list":
            schema = {
                "type": "object",
                "properties": {"from": {"type": "number", "default": time.time_ns()}},
            }
            answer["result"] = {
                "tools": [{"name": "runs", "description": "List runs.", "inputSchema": schema}]
            }
        case _:
            answer["error"] = {"code": -32601, "message": "unknown method"}
    if "id" in request:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
