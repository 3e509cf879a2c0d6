"""A server that starts as often as a file `left` says, and writes what it is asked for to a file `log`."""

import json
import sys
from pathlib import Path

left = int(Path("left").read_text())
Path("left").write_text(str(left - 1))
if left <= 0:
    sys.exit(1)

for line in sys.stdin:
    request = json.loads(line)
    with Path("log").open("a") as log:
        log.write(f"{request.get('method')}\n")
    answer = {"jsonrpc": "2.0", "id": request.get("id")}
    match request.get("method"):
        case "initialize":
            answer["result"] = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "starts", "version": "1"},
            }
        case "tools/list":
            tool = {"name": "count", "description": "Count words.", "inputSchema": {"type": "object"}}
            answer["result"] = {"tools": [tool]}
        case _:
            answer["error"] = {"code": -32601, "message": "unknown method"}
    if "id" in request:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
