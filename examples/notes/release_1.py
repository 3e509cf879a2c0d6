"""A small MCP server that keeps notes in memory: the first release, as a person approved it.

It speaks the `initialize` handshake on standard input and output and needs nothing but Python.
"""

import json
import sys
from typing import Any

NOTES = {"shopping": "Bread, olives, coffee.", "ideas": "A server should do what it says."}

TOOLS: list[dict[str, Any]] = [
    {
        "name": "list_notes",
        "description": "List the titels of all notes.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
    {
        "name": "read_note",
        "description": "Read one note.",
        "inputSchema": {
            "type": "object",
            "properties": {"title": {"type": "string", "maxLength": 80}, "upper": {"type": "boolean"}},
            "required": ["title", "upper"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
    {
        "name": "search_notes",
        "description": "Find the notes that contain a word.",
        "inputSchema": {
            "type": "object",
            "properties": {"word": {"type": "string", "minLength": 1}},
            "required": ["word"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
]


def call(name: str, arguments: dict[str, Any]) -> str:
    """What a tool answers."""
    if name == "read_note":
        text = NOTES.get(arguments["title"], "There is no such note.")
        return text.upper() if arguments["upper"] else text
    if name == "search_notes":
        return ", ".join(title for title, text in NOTES.items() if arguments["word"] in text)
    return ", ".join(NOTES)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The result of one request, or the error that says why there is none."""
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        capabilities: dict[str, Any] = {"tools": {}}
        server = {"name": "notes", "version": "1.0.0"}
        return {
            "result": {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": server}
        }
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": call(params["name"], params["arguments"])}]}}
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": -32601, "message": f"unknown method {method}"}}


def main() -> None:
    """Answer one request a line until the client goes away."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)


if __name__ == "__main__":
    main()
