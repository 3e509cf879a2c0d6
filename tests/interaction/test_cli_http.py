"""A server behind a URL and a token: the token is sent, and never written down."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from project import Project

TOKEN = "tok-4f9a8b7c6d5e"
RESULTS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "remote", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "count", "description": "Count.", "inputSchema": {"type": "object"}}]},
}


class Handler(BaseHTTPRequestHandler):
    """Answers those who bring the token, with JSON."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._send(401, b"")
        elif "id" not in request:
            self._send(202, b"")
        else:
            answer = {"jsonrpc": "2.0", "id": request["id"]}
            if request["method"] in RESULTS:
                answer["result"] = RESULTS[request["method"]]
            else:
                answer["error"] = {"code": -32601, "message": "unknown method"}
            self._send(200, json.dumps(answer).encode())

    def do_GET(self) -> None:
        self._send(405, b"")

    def do_DELETE(self) -> None:
        self._send(405, b"")

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        server.shutdown()


def test_a_token_is_sent_and_not_stored(tmp_path: Path, url: str) -> None:
    """The lockfile names the header; a check without its value cannot look."""
    project = Project(tmp_path)
    header = ("-H", "Authorization: Bearer ${SECRET}")

    locked = project.run("lock", "--yes", *header, url, SECRET=TOKEN)

    assert locked.returncode == 0, locked.stderr
    entry = json.loads(project.lockfile.read_text())["servers"]["remote"]
    assert entry["target"] == {"type": "http", "url": url, "headers": ["Authorization"]}
    assert TOKEN not in project.lockfile.read_text() + locked.stdout + locked.stderr
    assert project.run("check", *header, SECRET=TOKEN).returncode == 0

    refused = project.run("check")
    assert refused.returncode == 2
    assert "Authorization" in refused.stdout
