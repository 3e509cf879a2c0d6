"""Servers over HTTP that answer without end: a client reads as much as a message may be, and says so."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

import anyio
import pytest
from mcp import MCPError

from avow.client import GuardedClient
from conversations import Json
from guarding.peers import PATIENCE

pytestmark = pytest.mark.anyio

MEBIBYTE = 1024 * 1024
FLOOD = 96

Answer: TypeAlias = Callable[[Json], Iterator[bytes]]


class Endpoint(ThreadingHTTPServer):
    """Answers every message with the same status and headers, and with more than anybody wants to read."""

    daemon_threads = True

    def __init__(self, status: int, headers: dict[str, str], answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.headers, self.answer = status, headers, answer
        self.sent = 0
        self.given_up = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever is flooded hangs up."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads it."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for piece in self.server.answer(request):
                self.wfile.write(piece)
                self.server.sent += len(piece)
        finally:
            self.server.given_up.set()


@contextmanager
def endpoint(status: int, headers: dict[str, str], answer: Answer) -> Iterator[Endpoint]:
    with Endpoint(status, headers, answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def error(request: Json, message: str) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": request["id"], "error": {"code": 7, "message": message}}
    ).encode()


async def refusal(server: Endpoint) -> Exception:
    """Why there is no connection."""
    with anyio.fail_after(PATIENCE), pytest.raises((MCPError, ExceptionGroup)) as caught:
        async with GuardedClient(server.url, signature_cache=False):
            pass
    found: Exception = caught.value
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    return found


JSON = {"Content-Type": "application/json"}
ANSWERS = {
    "an answer": (200, JSON),
    "an error": (400, JSON),
    "a redirect": (307, {"Content-Type": "text/event-stream", "Location": "/mcp"}),
}


@pytest.mark.parametrize(("status", "headers"), ANSWERS.values(), ids=ANSWERS)
async def test_an_answer_without_end_is_not_read_to_its_end(status: int, headers: dict[str, str]) -> None:
    def answer(_: Json) -> Iterator[bytes]:
        yield b'{"jsonrpc": "2.0", "id": 1, "result": {"x": "'
        yield from [b"a" * MEBIBYTE] * FLOOD

    with endpoint(status, headers, answer) as server:
        await refusal(server)
        assert await anyio.to_thread.run_sync(server.given_up.wait, PATIENCE)
        # What the system keeps between the two is some megabytes.
        assert server.sent < FLOOD * MEBIBYTE / 2


async def test_an_answer_that_is_small_only_on_its_way_is_not_read() -> None:
    def answer(request: Json) -> Iterator[bytes]:
        yield gzip.compress(error(request, "a" * 16 * MEBIBYTE), 1)

    with endpoint(200, {**JSON, "Content-Encoding": "gzip"}, answer) as server:
        assert "compressed" in str(await refusal(server))[:200]


async def test_one_that_is_as_large_as_a_signature_is_read() -> None:
    def answer(request: Json) -> Iterator[bytes]:
        yield error(request, "a" * 4 * MEBIBYTE)

    with endpoint(200, JSON, answer) as server:
        assert len(str(await refusal(server))) == 4 * MEBIBYTE
