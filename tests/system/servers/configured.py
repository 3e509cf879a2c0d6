"""A server with a configuration: which one, and what it does with it, is in `surface.json` beside it.

That is `{"schema": …, "needs": [variables], "accepts": {variable: value}, "log": FILE}` and more:
without a variable of `needs`, or all of `either`, it leaves with a message; one of `accepts` with another
value is rejected like a wrong token. Into the file `log` it writes what it was given, for a test to look at.
"""

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def main() -> None:
    surface: Json = json.loads(Path(__file__).with_name("surface.json").read_text(encoding="utf-8"))
    if "log" in surface:
        given = {"arguments": sys.argv[1:], "environment": dict(os.environ), "commands": command_lines()}
        Path(surface["log"]).write_text(json.dumps(given), encoding="utf-8")
    for name in surface.get("needs", []):
        if not os.environ.get(name):
            sys.exit(f"Error: {name} environment variable is required")
    if (either := surface.get("either")) and not any(os.environ.get(name) for name in either):
        sys.exit(f"Error: either {' or '.join(either)} is required")
    for name, value in surface.get("accepts", {}).items():
        if os.environ.get(name, value) != value:
            # What is wrong with many servers: they repeat the token in their log, of several the first.
            token = os.environ[name].split(",")[0]
            sys.exit(f"GET /user with {token}: 401 Unauthorized: Bad credentials")
    if any(os.environ.get(name) for name in surface.get("hangs", [])):
        Path(surface["log"]).with_name("hanging").write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(60)
    if any(os.environ.get(name) for name in surface.get("dies", [])):
        sys.exit("thread main panicked: index out of bounds")
    serve(surface)


def command_lines() -> list[str]:
    """What everybody on this machine sees of every program."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return found


def serve(surface: Json) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        match request.get("method"):
            case "initialize":
                result: Json = {
                    "protocolVersion": request["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "configured", "version": "1"},
                }
                if "schema" in surface:
                    result["configurationSchema"] = surface["schema"]
            case "tools/list":
                tool = {"name": "look", "description": "Look.", "inputSchema": {"type": "object"}}
                result = {"tools": [tool]}
            case "ping":
                result = {}
            case _:
                if "id" in request:
                    error = {"code": -32601, "message": "Method not found"}
                    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}), flush=True)
                continue
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
