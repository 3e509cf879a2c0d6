"""Servers to measure the gateway with: `python gateway_servers.py KIND PORT [URL]`.

`minimal` is about the least that can be called an MCP server, `sdk` is one on the official SDK, `fastmcp` a
FastMCP proxy for the server at URL. All offer one tool, `add`.
"""

import importlib
import json
import sys
from typing import Any

VERSION = "2026-07-28"
ADD = {
    "name": "add",
    "description": "Add two numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    match message.get("method"):
        case "server/discover":
            info = {"io.modelcontextprotocol/serverInfo": {"name": "minimal", "version": "1"}}
            return {"supportedVersions": [VERSION], "capabilities": {"tools": {}}, "_meta": info}
        case "initialize":
            version = message["params"]["protocolVersion"]
            name = {"name": "minimal", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": name}
        case "tools/list":
            return {"tools": [ADD], "ttlMs": 0, "cacheScope": "public"}
        case "tools/call":
            arguments = message["params"]["arguments"]
            return {"content": [{"type": "text", "text": str(arguments["a"] + arguments["b"])}]}
        case _:
            return None


async def minimal(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    event = {"more_body": True}
    while event.get("more_body"):
        event = await receive()
        body += event.get("body", b"")
    message = json.loads(body) if body else {}
    result = answer(message)
    status, data = 202, b""
    if result is not None:
        status = 200
        document = {"jsonrpc": "2.0", "id": message["id"], "result": {"resultType": "complete", **result}}
        data = json.dumps(document).encode()
    elif "id" in message:
        error = {"code": -32601, "message": "Method not found"}
        status, data = 404, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    if message.get("method") == "initialize":
        headers.append((b"mcp-session-id", b"one-for-all"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})


def sdk(port: int) -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("sums", log_level="ERROR")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    server.run("streamable-http", port=port, json_response=True)


def main(kind: str, port: int, *url: str) -> None:
    if kind == "minimal":
        import uvicorn

        uvicorn.run(minimal, host="127.0.0.1", port=port, log_level="error", access_log=False)
    elif kind == "sdk":
        sdk(port)
    else:
        # Only the Python that is named has it.
        server = importlib.import_module("fastmcp.server")
        server.create_proxy(url[0]).run(transport="http", host="127.0.0.1", port=port, show_banner=False)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
