"""A stdio MCP server with nothing in its way: what a relay adds is not hidden behind a slow server.

Answers are cut from prepared bytes; a call of `big` returns as many bytes as its argument says.
"""

import json
import os

DESCRIPTION = "A tool for measurements. " * 12


def tool(name: str) -> dict[str, object]:
    properties = {"text": {"type": "string", "maxLength": 100}, "size": {"type": "integer", "minimum": 0}}
    schema = {"type": "object", "properties": properties, "required": ["text"], "additionalProperties": False}
    return {
        "name": name,
        "description": DESCRIPTION,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }


TOOLS = [tool("echo"), tool("big"), *(tool(f"spare_{number}") for number in range(40))]
LISTED = json.dumps({"tools": TOOLS}, separators=(",", ":")).encode()
INITIALIZED = json.dumps(
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "echo", "version": "1"},
    }
).encode()
ECHOED = b'{"content":[{"type":"text","text":"ok"}]}'


def main() -> None:
    rest = b""
    while chunk := os.read(0, 262144):
        *lines, rest = (rest + chunk).split(b"\n")
        os_write_all(b"".join(filter(None, map(answer, lines))))


def answer(line: bytes) -> bytes:
    request = json.loads(line)
    if "id" not in request:
        return b""
    identifier = json.dumps(request["id"]).encode()
    match request["method"]:
        case "tools/call" if request["params"]["name"] == "big":
            text = b"x" * request["params"]["arguments"]["size"]
            result = b'{"content":[{"type":"text","text":"%s"}]}' % text
        case "tools/call":
            result = ECHOED
        case "tools/list":
            result = LISTED
        case "initialize":
            result = INITIALIZED
        case _:
            return b'{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' % identifier
    return b'{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (identifier, result)


def os_write_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()
