"""The server of `servers/negotiating.py` behind Streamable HTTP, run in a thread of the tests.

Flaws of its own: `headers` looks at none, `anysession` takes any session for one of its own, `sessionless`
keeps none, `reopening` answers a second `initialize` with another session, `token` wants a token.
"""

import json
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "servers"))
from negotiating import LEGACY, OLDEST, PREFIX, VERSION, Json, Server

KNOWN = (VERSION, *LEGACY, OLDEST)


class Endpoint(ThreadingHTTPServer):
    """The sessions that it opened, and what is wrong with it."""

    daemon_threads = True

    def __init__(self, flaws: tuple[str, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.flaws = flaws
        self.sessions: dict[str, Server] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever probes may hang up."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        self.reply(405)

    def do_DELETE(self) -> None:
        self.server.sessions.pop(self.headers.get("Mcp-Session-Id", ""), None)
        self.reply(200)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        flaws = self.server.flaws
        if "token" in flaws and self.headers["Authorization"] != "Bearer good-token":
            self.reply(401, b"who are you?", "text/plain")
            return
        meta = (message.get("params") or {}).get("_meta") or {}
        version = self.headers["MCP-Protocol-Version"]
        is_modern = any(key.startswith(PREFIX) for key in meta) or version == VERSION
        if version not in (None, *KNOWN) and "headers" not in flaws and not is_modern:
            self.refuse(message, 400, -32600, "Bad Request: Unsupported protocol version")
        elif is_modern:
            self.stateless(message, meta, version)
        else:
            self.in_session(message)

    def stateless(self, message: Json, meta: Json, version: str | None) -> None:
        named = meta.get(f"{PREFIX}protocolVersion", version)
        mismatch = version != named or self.headers["Mcp-Method"] != message.get("method")
        if mismatch and "headers" not in self.server.flaws:
            self.refuse(message, 400, -32020, "the headers do not match")
            return
        server = Server(self.server.flaws)
        server.phase = "stateless"
        self.answer(message, server)

    def in_session(self, message: Json) -> None:
        flaws, given = self.server.flaws, self.headers["Mcp-Session-Id"]
        if "sessionless" in flaws:
            server = Server((*flaws, "early", "eager", "again"))
            self.answer(message, server)
        elif message.get("method") == "initialize" and (given is None or "reopening" in flaws):
            name = uuid.uuid4().hex
            self.server.sessions[name] = server = Server(flaws)
            self.answer(message, server, Mcp_Session_Id=name)
        elif given is not None and "anysession" in flaws and given not in self.server.sessions:
            self.answer(message, Server((*flaws, "early")))
        elif given in self.server.sessions:
            self.answer(message, self.server.sessions[given])
        elif "early" in flaws:
            self.answer(message, Server(flaws))
        else:
            self.refuse(message, 400, -32000, "Bad Request: Server not initialized")

    def answer(self, message: Json, server: Server, **headers: str) -> None:
        said = list(server.take(message))
        if "id" not in message:
            self.reply(202)
        elif len(said) == 1:
            self.reply(200, json.dumps(said[0]).encode(), **headers)
        else:
            events = "".join(f"data: {json.dumps(one)}\n\n" for one in said)
            self.reply(200, events.encode(), "text/event-stream", **headers)

    def refuse(self, message: Json, status: int, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": message.get("id"), "error": error}
        self.reply(status, json.dumps(body).encode())

    def reply(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def negotiating_over_http(*flaws: str) -> Iterator[str]:
    """The address of a server with these flaws, for the length of a test."""
    with Endpoint(flaws) as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint.url
        finally:
            endpoint.shutdown()
            thread.join()
