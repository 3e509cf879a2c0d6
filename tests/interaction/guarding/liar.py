"""A program that speaks MCP on its standard streams and answers `signature` as its argument says."""

import json
import sys
from typing import Any

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
SIGNATURES: dict[str, Any] = {
    "large": {"tools": [{**ECHO, "description": "x" * 5 * 1024 * 1024}]},
    "many": {"tools": [{**ECHO, "name": f"t{number}"} for number in range(100_000)]},
    "twice": {"tools": [ECHO, ECHO]},
}


def main(lie: str) -> None:
    """Answer one request a line."""
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            capabilities: dict[str, Any] = {"tools": {}, "signature": {}}
            info = {"name": "liar", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
        elif method == "signature":
            if lie == "crash":
                sys.exit(3)
            if lie == "hang":
                continue
            result = SIGNATURES[lie]
        elif "id" in request:
            error = {"code": -32601, "message": "no such method"}
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}), flush=True)
            continue
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


main(sys.argv[1])
