"""A Streamable HTTP server for both eras, in a thread of the tests; its tools do what servers do wrong."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

VERSION = "2026-07-28"
SESSION = "upstream-session"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}}
NAMES = (
    "echo", "headers", "stream", "poll", "crash", "overloaded", "breaks", "hangup", "moved", "packed", "page",
    "unauthorized", "nothing", "malformed", "huge", "forget", "wait", "deep",
)  # fmt: skip
TOOLS = [{"name": name, "description": f"Tool {name}.", "inputSchema": SCHEMA} for name in NAMES]
INFO = {"name": "endpoint", "version": "1"}


class Upstream(ThreadingHTTPServer):
    """What is served, and what was asked."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, Json]] = []
        self.hung_up = threading.Event()
        self.tools = TOOLS
        self.sessions = {SESSION}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Upstream
    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are kept, not printed."""

    def do_POST(self) -> None:
        self.keep()
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        needs_session = (
            self.headers["MCP-Protocol-Version"] != VERSION and message.get("method") != "initialize"
        )
        if needs_session and self.headers["Mcp-Session-Id"] not in self.server.sessions:
            self.reply(404, b"no such session", "text/plain")
            return
        match message.get("method"):
            case "initialize":
                result: Json = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": INFO,
                }
                self.server.sessions.add(SESSION)
                self.answer(message, result, Mcp_Session_Id=SESSION)
            case "server/discover":
                meta = {"io.modelcontextprotocol/serverInfo": INFO}
                result = {"supportedVersions": [VERSION], "capabilities": {"tools": {}}, "_meta": meta}
                self.answer(message, {"resultType": "complete", **result})
            case "tools/list":
                result = {
                    "resultType": "complete",
                    "tools": self.server.tools,
                    "ttlMs": 0,
                    "cacheScope": "public",
                }
                self.answer(message, result)
            case "tools/call":
                getattr(self, f"tool_{message['params']['name']}")(message)
            case _ if "id" not in message or "method" not in message:
                self.reply(202)
            case _:
                self.refuse(message, 404, -32601, "Method not found")

    def do_GET(self) -> None:
        self.keep()
        self.begin_events()
        if self.headers["Last-Event-ID"]:
            answer = {"jsonrpc": "2.0", "id": 1, "result": self.result("resumed")}
            self.event(f"id: 8\ndata: {json.dumps(answer)}\n\n")
            return
        self.event('id: 1\ndata: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}\n\n')
        time.sleep(0.5)

    def do_DELETE(self) -> None:
        self.keep()
        self.reply(200)

    def keep(self) -> None:
        self.server.requests.append(
            (self.command, {name.lower(): value for name, value in self.headers.items()})
        )

    def reply(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def answer(self, message: Json, result: Json, **headers: str) -> None:
        self.reply(
            200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode(), **headers
        )

    def refuse(self, message: Json, status: int, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        self.reply(status, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())

    def result(self, text: str) -> Json:
        return {"resultType": "complete", "content": [{"type": "text", "text": text}]}

    def begin_events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    # The tools.

    def tool_echo(self, message: Json) -> None:
        self.answer(message, self.result(message["params"]["arguments"]["text"]))

    def tool_headers(self, message: Json) -> None:
        self.answer(message, self.result(json.dumps(self.server.requests[-1][1])))

    def tool_stream(self, message: Json) -> None:
        self.begin_events()
        for step in range(3):
            params = {"progressToken": 1, "progress": step}
            note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
            self.event(f"event: message\r\nid: {step}\r\nretry: 100\r\ndata: {json.dumps(note)}\r\n\r\n")
            time.sleep(0.2)
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": self.result("streamed")}
        self.event(f"data: {json.dumps(answer)}\n\n")

    def tool_poll(self, message: Json) -> None:
        """Close the stream and let the client come back, as 2025-11-25 allows."""
        self.begin_events()
        self.event("id: 7\nretry: 100\ndata: \n\n")

    def tool_crash(self, message: Json) -> None:
        self.reply(500, b"Traceback: secret", "text/plain")

    def tool_overloaded(self, message: Json) -> None:
        self.refuse(message, 503, -32000, "come back later")

    def tool_breaks(self, message: Json) -> None:
        self.begin_events()
        self.event(
            'data: {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "half"}}\n\n'
        )

    def tool_hangup(self, message: Json) -> None:
        self.close_connection = True

    def tool_moved(self, message: Json) -> None:
        self.reply(307, Location="http://elsewhere.invalid/mcp")

    def tool_packed(self, message: Json) -> None:
        self.reply(200, b"\x1f\x8b", Content_Encoding="gzip")

    def tool_page(self, message: Json) -> None:
        self.reply(200, b"<html>", "text/html")

    def tool_unauthorized(self, message: Json) -> None:
        self.reply(401, b"who?", "text/plain", WWW_Authenticate='Bearer realm="upstream"')

    def tool_nothing(self, message: Json) -> None:
        self.reply(202)

    def tool_malformed(self, message: Json) -> None:
        self.reply(200, b'{"jsonrpc": "2.0", "id": %d, "result": {}, "result": {}}' % message["id"])

    def tool_deep(self, message: Json) -> None:
        deep = b"[" * 5000 + b"]" * 5000
        self.reply(200, b'{"jsonrpc": "2.0", "id": %d, "result": {"content": %b}}' % (message["id"], deep))

    def tool_huge(self, message: Json) -> None:
        self.answer(message, self.result("x" * 2_000_000))

    def tool_forget(self, message: Json) -> None:
        self.server.sessions.clear()
        self.answer(message, self.result("forgotten"))

    def tool_wait(self, message: Json) -> None:
        """Work until the client hangs up."""
        self.begin_events()
        try:
            for _ in range(100):
                self.event(": still working\n\n")
                time.sleep(0.05)
        except OSError:
            self.server.hung_up.set()


@contextmanager
def serving() -> Iterator[Upstream]:
    """Run the server for the length of a test."""
    with Upstream() as upstream:
        thread = threading.Thread(target=upstream.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield upstream
        finally:
            upstream.shutdown()
            thread.join()
