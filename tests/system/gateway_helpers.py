"""What the tests of the gateway share: `avow gateway` as a process, and raw HTTP to talk to it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from project import Project

Json = dict[str, Any]

VERSION = "2026-07-28"
META: Json = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE: Json = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
BOTH = "application/json, text/event-stream"


class Answer:
    """An HTTP answer, read whole."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self) -> Json:
        document: Json = json.loads(self.body)
        return document

    @property
    def error(self) -> Json:
        error: Json = self.json["error"]
        return error


class Gateway:
    """A gateway under our hands."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}/mcp"

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def request(self, method: str, path: str, *, body: bytes | None = None, **headers: Any) -> Answer:
        connection = self.connection()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, name: str, message: Json | bytes, **headers: Any) -> Answer:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        given: Any = {"Content_Type": "application/json", "Accept": BOTH} | headers
        return self.request("POST", f"/{name}/mcp", body=body, **given)

    def ask(
        self, server: str, method: str, number: int | str = 1, /, headers: Json | None = None, **params: Any
    ) -> Answer:
        """A request of 2026-07-28, with the headers that belong to it."""
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": META, **params}}
        given = {"MCP_Protocol_Version": VERSION, "Mcp_Method": method}
        if method in ("tools/call", "prompts/get"):
            given["Mcp_Name"] = params.get("name", "")
        return self.post(server, message, **(given | (headers or {})))

    def shake_hands(self, name: str, **headers: str) -> str:
        """Begin a session; its id."""
        answer = self.post(name, INITIALIZE, **headers)
        assert answer.status == 200, answer.body
        session = answer.headers["mcp-session-id"]
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert self.post(name, note, Mcp_Session_Id=session, **headers).status == 202
        return session

    def metrics(self, **headers: Any) -> str:
        return self.request("GET", "/metrics", **headers).body.decode()

    def children(self) -> list[int]:
        """The processes that the gateway has started."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [int(word) for task in tasks for word in (task / "children").read_text("ascii").split()]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


@contextmanager
def running(
    project: Project, *arguments: str, program: tuple[str, ...] = ("-m", "avow"), **environment: str
) -> Iterator[Gateway]:
    """Run `avow gateway` on a free port for the length of a test."""
    process = subprocess.Popen(
        [sys.executable, *program, "gateway", "--listen", "127.0.0.1:0", *arguments],
        cwd=project.directory,
        env={**os.environ, "HOME": str(project.directory), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    line = process.stdout.readline()
    try:
        yield Gateway(process, int(line.split(":")[2].partition("/")[0]))
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(10)
        process.stdout.close()


@contextmanager
def http_server(script: Path) -> Iterator[str]:
    """Run a script that serves MCP over HTTP on the port that is its argument; the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(script), str(port)], stderr=subprocess.DEVNULL)

    def answers() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    try:
        assert eventually(answers, 20)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def conversation(server: StdioServerParameters | str, mode: Any) -> Json:
    """Everything that the SDK's client can learn from a server."""

    async def talk() -> Json:
        with anyio.fail_after(60):
            async with Client(server, mode=mode) as client:
                results = {
                    "tools": await client.list_tools(),
                    "prompts": await client.list_prompts(),
                    "templates": await client.list_resource_templates(),
                    "sum": await client.call_tool("add", {"a": 2, "b": 3}),
                    "progress": await client.call_tool("ask", {}),
                    "prompt": await client.get_prompt("greet", {"name": "Ada"}),
                    "note": await client.read_resource("notes://today"),
                }
                shown = {name: result.model_dump(mode="json") for name, result in results.items()}
                return {"version": client.protocol_version, "instructions": client.instructions, **shown}

    return anyio.run(talk)


def is_running(pid: str) -> bool:
    """Whether a process runs; one that is dead and not yet reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def events(text: bytes) -> list[Json]:
    """The messages of an event stream."""
    found = []
    for block in text.replace(b"\r\n", b"\n").split(b"\n\n"):
        data = [line[6:] for line in block.split(b"\n") if line.startswith(b"data: ")]
        if data and data[0].strip():
            found.append(json.loads(data[0]))
    return found


def eventually(check: Any, seconds: float = 5.0) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.02)
    return bool(check())
