"""An HTTP server's application without a socket: one POST after the other, in raw JSON-RPC."""

import json
from typing import Any

import anyio

from declaring.wire import Json


async def post(
    app: Any, message: Json, *, extensions: Json | None = None, **headers: str
) -> tuple[int, Json, dict[str, str]]:
    """One POST: its status, the JSON-RPC answer and the headers; `extensions` are the web server's."""
    sending = {
        "host": "127.0.0.1:80",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in sending.items()],
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "extensions": extensions or {},
    }
    messages = [{"type": "http.request", "body": json.dumps({"jsonrpc": "2.0", **message}).encode()}]
    sent: list[Any] = []

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await anyio.sleep_forever()
        raise AssertionError("forever is over")

    async def send(part: Any) -> None:
        sent.append(part)

    await app(scope, receive, send)
    text = b"".join(part.get("body", b"") for part in sent[1:]).decode()
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], json.loads(lines[-1] if lines else text or "{}"), told
