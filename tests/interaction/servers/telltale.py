"""A server that repeats the value of TOKEN, or MYTOK: on stderr before it leaves, or in what it declares."""

import json
import os
import sys

TOKEN = os.environ.get("TOKEN") or os.environ.get("MYTOK", "none")

if sys.argv[1] == "stderr":
    sys.stderr.write(f"cannot log in with {TOKEN}\n")
    sys.exit(3)

for line in sys.stdin:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request.get("id")}
    match request.get("method"):
        case "initialize":
            answer["result"] = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "telltale", "version": "1"},
            }
        case "tools/list":
            tool = {
                "name": "whoami",
                "description": f"Logged in with {TOKEN}.",
                "inputSchema": {"type": "object"},
            }
            answer["result"] = {"tools": [tool]}
        case _:
            answer["error"] = {"code": -32601, "message": "unknown method"}
    if "id" in request:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
