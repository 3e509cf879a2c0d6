"""A Streamable HTTP endpoint, run in a thread of the tests. Its mode says what it does with a message."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

ECHO: Json = {"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}
SESSION = "session-1"


class Endpoint(ThreadingHTTPServer):
    """What is served, and what was asked."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, mode: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.mode = mode
        self.requests: list[tuple[str, Json, Json]] = []
        self.changed = threading.Event()
        self.tools = [ECHO]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what many tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are kept, not printed."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(("POST", dict(self.headers.items()), message))
        method = getattr(self, f"mode_{self.server.mode}", self.mode_plain)
        method(message)

    def do_GET(self) -> None:
        self.server.requests.append(("GET", dict(self.headers.items()), {}))
        if self.server.mode != "growing":
            self.reply(405)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.server.changed.wait(5)
        note = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        self.wfile.write(f": hello\n\nevent: message\ndata: {json.dumps(note)}\n\n".encode())
        self.wfile.flush()
        time.sleep(1)

    def do_DELETE(self) -> None:
        self.server.requests.append(("DELETE", dict(self.headers.items()), {}))
        self.reply(200)

    def reply(
        self, status: int = 200, body: bytes = b"", kind: str = "application/json", **headers: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def answer(self, message: Json, result: Json, **headers: str) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        self.reply(200, body.encode(), **headers)

    def refuse(self, message: Json, status: int, code: int, text: str, *, nobody: bool = False) -> None:
        error = {"code": code, "message": text}
        body = json.dumps({"jsonrpc": "2.0", "id": None if nobody else message["id"], "error": error})
        self.reply(status, body.encode())

    # What an ordinary server with sessions does.

    def mode_plain(self, message: Json) -> None:
        match message.get("method"):
            case "initialize":
                capabilities: Json = {"tools": {"listChanged": self.server.mode == "growing"}}
                info = {"name": "endpoint", "version": "1"}
                result = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
                self.answer(message, result, Mcp_Session_Id=SESSION)
            case _ if self.headers["Mcp-Session-Id"] != SESSION:
                self.refuse(message, 400, -32000, "Bad Request: Server not initialized", nobody=True)
            case "tools/list":
                self.answer(message, {"tools": self.server.tools})
            case method:
                if "id" not in message or method is None:
                    self.reply(202)
                else:
                    self.refuse(message, 200, -32601, "Method not found")

    def mode_odd_session(self, message: Json) -> None:
        """A session whose id no header can hold again."""
        if message.get("method") == "initialize":
            info = {"name": "endpoint", "version": "1"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
            self.answer(message, result, Mcp_Session_Id="session-\xff\xe9")
        else:
            self.mode_plain(message)

    def mode_growing(self, message: Json) -> None:
        self.mode_plain(message)
        if message.get("method") == "tools/list":
            self.server.tools = [ECHO, {**ECHO, "name": "late"}]
            self.server.changed.set()

    # Answers as events, with a notification and a question in between.

    def mode_events(self, message: Json) -> None:
        if message.get("method") != "tools/list":
            self.mode_plain(message)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": self.server.tools}})
        half = answer.index(",") + 1
        for text in (
            ": a comment\r\n\r\n",
            "id: 1\r\ndata:\r\n\r\n",
            "event: other\ndata: no message\n\n",
            'data: {"jsonrpc": "2.0", "method": "notifications/message"}\r\r',
            'data: {"jsonrpc": "2.0", "id": "ours", "method": "roots/list"}\n\n',
            f"data: {answer[:half]}\ndata:{answer[half:]}\n",
            "\n",
        ):
            self.wfile.write(text.encode())
            self.wfile.flush()
        self.close_connection = True

    # The era without sessions.

    def mode_modern(self, message: Json) -> None:
        version = "2026-07-28"
        meta = message.get("params", {}).get("_meta", {})
        headers = (self.headers["MCP-Protocol-Version"], self.headers["Mcp-Method"])
        info = {"io.modelcontextprotocol/serverInfo": {"name": "modern endpoint", "version": "2"}}
        if headers != (version, message["method"]) or not meta:
            self.refuse(message, 400, -32020, "headers do not match")
        elif message["method"] == "server/discover":
            result = {"supportedVersions": [version], "capabilities": {"tools": {}}, "_meta": info}
            self.answer(message, result)
        elif message["method"] == "tools/list":
            name = meta["io.modelcontextprotocol/clientInfo"]["name"]
            self.answer(message, {"tools": [ECHO] if name == "claude-ai" else []})
        else:
            self.refuse(message, 404, -32601, "Method not found")

    # What goes wrong.

    def mode_unauthorized(self, message: Json) -> None:
        if self.headers["Authorization"] == "Bearer good-token":
            self.mode_plain(message)
        else:
            text = f"no entry with {self.headers['Authorization']}"
            self.reply(401, text.encode(), "text/plain")

    def mode_missing(self, message: Json) -> None:
        self.reply(404, b"<html>not here</html>", "text/html")

    def mode_page(self, message: Json) -> None:
        self.reply(200, b"<html>hello</html>", "text/html")

    def mode_crash(self, message: Json) -> None:
        self.reply(500, b"Traceback", "text/plain")

    def mode_accepted(self, message: Json) -> None:
        self.reply(202)

    def mode_elsewhere(self, message: Json) -> None:
        self.reply(307, Location="http://elsewhere.invalid/mcp")

    def mode_slash(self, message: Json) -> None:
        if self.path.endswith("/"):
            self.mode_plain(message)
        else:
            self.reply(307, Location=f"{self.path}/")

    def mode_circle(self, message: Json) -> None:
        self.reply(307, Location=self.path)

    def mode_malformed(self, message: Json) -> None:
        if message.get("method") == "tools/list":
            self.reply(
                200, f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"a": 1, "a": 2}}}}'.encode()
            )
        else:
            self.mode_plain(message)

    def mode_other_id(self, message: Json) -> None:
        if message.get("method") == "tools/list":
            self.answer({"id": str(message["id"])}, {"tools": []})
        else:
            self.mode_plain(message)

    def mode_compressed(self, message: Json) -> None:
        self.reply(200, b"\x1f\x8b", Content_Encoding="gzip")

    def mode_huge(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b" " * 1024 * 1024)
        self.close_connection = True

    def mode_huge_event(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b"data: " + b"x" * 1024 * 1024 + b"\n")
        self.close_connection = True

    def mode_drip(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def mode_hangup(self, message: Json) -> None:
        self.close_connection = True


@contextmanager
def serving(mode: str = "plain") -> Iterator[Endpoint]:
    """Run an endpoint for the length of a test."""
    with Endpoint(mode) as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.shutdown()
            thread.join()
