"""A well-behaved handshake-era server, and the pieces that its odd relatives are made of."""

import json
import sys
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

ECHO: Json = {"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}
ADD: Json = {"name": "add", "description": "Add numbers.", "inputSchema": {"type": "object"}}
NOTE: Json = {"uri": "note://one", "name": "one"}


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def send(message: Json) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def answer(request: Json, result: Json) -> None:
    send({"id": request["id"], "result": result})


def refuse(request: Json, code: int = -32601, text: str = "Method not found", data: Any = None) -> None:
    send({"id": request["id"], "error": {"code": code, "message": text, "data": data}})


def messages() -> Iterator[Json]:
    for line in sys.stdin:
        yield json.loads(line)


def welcome(request: Json, **more: Any) -> None:
    """Answer `initialize`."""
    asked = request["params"]["protocolVersion"]
    result = {
        "protocolVersion": asked,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "plain", "version": "1"},
    }
    answer(request, result | more)


def handle(request: Json, tools: list[Json] | None = None, **more: Any) -> None:
    """Answer one message as an ordinary server does."""
    match request.get("method"):
        case "initialize":
            welcome(request, **more)
        case "tools/list":
            answer(request, {"tools": [ECHO, ADD] if tools is None else tools})
        case "ping":
            answer(request, {})
        case _:
            if "id" in request and "method" in request:
                refuse(request)


if __name__ == "__main__":
    for message in messages():
        handle(message)
