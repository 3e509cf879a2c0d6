"""A stdio server that declares what it needs, and tells what it got when it is called.

With `strict` it leaves at once without its token, after a few words that repeat whatever else it got.
"""

import hashlib
import json
import os
import sys
from typing import Any

SCHEMA = {
    "environmentVariables": [
        {"name": "FOO_TOKEN", "description": "Your token.", "type": "string", "required": True},
        {"name": "LOG_LEVEL", "description": "How loud.", "type": "string", "required": False},
    ]
}


def reported() -> str:
    """Everything that it got, the token only as a digest."""
    token = hashlib.sha256(os.environ.get("FOO_TOKEN", "").encode()).hexdigest()
    names = sorted(os.environ)
    level = os.environ.get("LOG_LEVEL")
    return json.dumps({"token": token, "names": names, "level": level, "arguments": sys.argv[1:]})


def answer(method: str) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "needy", "version": "1"},
                "configurationSchema": SCHEMA,
            }
        case "tools/list":
            return {"tools": [{"name": "report", "inputSchema": {"type": "object"}}]}
        case _:
            return {"content": [{"type": "text", "text": reported()}]}


def main() -> None:
    if "strict" in sys.argv and "FOO_TOKEN" not in os.environ:
        sys.stderr.write(f"needy: FOO_TOKEN is required \x1b[31m(have {os.environ.get('OTHER_KEY')})\n")
        sys.exit(3)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            document = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request["method"])}
            sys.stdout.write(json.dumps(document) + "\n")
            sys.stdout.flush()


main()
