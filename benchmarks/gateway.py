"""Requests per second through `avow gateway`, against the same server without it and FastMCP's proxy.

32 clients call one small tool over connections that they keep. The bars: with a server on the official SDK
at least half of its own requests per second, and at least five times FastMCP's proxy (`--fastmcp PYTHON`
names a Python that has it). What a server of almost nothing loses is shown beside it.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httptools
import uvloop

SERVERS = Path(__file__).parent / "gateway_servers.py"
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
CLIENTS = 32


class Caller(asyncio.Protocol):
    """One client: a request, its answer, the next request."""

    def __init__(self, head: bytes, era: str, calls: int, done: "asyncio.Future[None]") -> None:
        self.head, self.era, self.left, self.done = head, era, calls, done
        self.number = 0
        self.body = b""
        self.session = b""
        self.steps = ["initialize", "notifications/initialized"] if era == "session" else []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.number += 1
        method = self.steps[0] if self.steps else "tools/call"
        params: dict[str, Any] = {"name": "add", "arguments": {"a": 1, "b": self.number}}
        if self.steps:
            params = INITIALIZE if method == "initialize" else {}
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        if method == "notifications/initialized":
            del message["id"]
        headers = self.head + (b"mcp-session-id: " + self.session + b"\r\n" if self.session else b"")
        if self.era == "stateless":
            params["_meta"] = META
            headers += b"mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: add\r\n"
        body = json.dumps(message, separators=(",", ":")).encode()
        self.parser, self.body = httptools.HttpResponseParser(self), b""
        self.transport.write(headers + b"content-length: %d\r\n\r\n" % len(body) + body)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"mcp-session-id":
            self.session = value

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        if self.steps:
            self.steps.pop(0)
        else:
            assert b'"result"' in self.body, self.body
            self.left -= 1
        if self.left:
            self.send()
        else:
            self.transport.close()
            self.done.set_result(None)


async def load(port: int, path: str, era: str, seconds: float) -> float:
    """Requests per second of all clients together."""
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\naccept: application/json, text/event-stream\r\n"
        "content-type: application/json\r\n"
    ).encode()
    rate = 20.0
    for share in (0.1, 1.0):
        calls = max(2, int(rate * seconds * share / CLIENTS))
        loop = asyncio.get_running_loop()
        ends = [loop.create_future() for _ in range(CLIENTS)]
        start = time.perf_counter()
        for end in ends:
            await loop.create_connection(partial(Caller, head, era, calls, end), "127.0.0.1", port)
        await asyncio.gather(*ends)
        rate = CLIENTS * calls / (time.perf_counter() - start)
    return rate


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def started(command: list[str], port: int, directory: Path) -> Iterator[None]:
    """A server, from when it answers until it is not needed any more."""
    process = subprocess.Popen(
        command, cwd=directory, env={**os.environ, "HOME": str(directory)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def measure(kind: str, era: str, fastmcp: str | None, seconds: float, rounds: int) -> dict[str, float]:
    """Median requests per second: direct, through the gateway, through FastMCP; in turns."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        direct, gateway, proxy = free_port(), free_port(), free_port()
        url = f"http://127.0.0.1:{direct}/mcp"
        ways = {"direct": (direct, "/mcp"), "gateway": (gateway, f"/{kind}/mcp")}
        avow = [sys.executable, "-m", "avow"]
        with started([sys.executable, str(SERVERS), kind, str(direct)], direct, directory):
            lock = [*avow, "lock", "--yes", "--quiet", "--name", kind, url]
            subprocess.run(lock, cwd=directory, check=True, stdout=subprocess.DEVNULL)
            with started([*avow, "gateway", "--listen", f"127.0.0.1:{gateway}"], gateway, directory):
                if fastmcp is None:
                    return in_turns(ways, era, seconds, rounds)
                ways["fastmcp"] = (proxy, "/mcp")
                with started([fastmcp, str(SERVERS), "fastmcp", str(proxy), url], proxy, directory):
                    return in_turns(ways, era, seconds, rounds)


def in_turns(ways: dict[str, tuple[int, str]], era: str, seconds: float, rounds: int) -> dict[str, float]:
    seen: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, (port, path) in ways.items():
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                seen[way].append(runner.run(load(port, path, era, seconds)))
    return {way: statistics.median(rates) for way, rates in seen.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fastmcp", help="a Python that has FastMCP")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{CLIENTS} clients, median of {options.rounds}, requests per second\n")
    print(
        "| server | era | direct | gateway | share | FastMCP's proxy | ahead |\n|---|---|---|---|---|---|---|"
    )
    missed = False
    for kind in ("sdk", "minimal"):
        for era in ("session", "stateless"):
            fastmcp = options.fastmcp if kind == "sdk" else None
            rates = measure(kind, era, fastmcp, options.seconds, options.rounds)
            share = rates["gateway"] / rates["direct"]
            ahead = rates["gateway"] / rates["fastmcp"] if "fastmcp" in rates else None
            other = f"{rates['fastmcp']:.0f} | {ahead:.1f}" if ahead is not None else "- | -"
            direct, gateway = f"{rates['direct']:.0f}", f"{rates['gateway']:.0f}"
            print(f"| {kind} | {era} | {direct} | {gateway} | {share:.2f} | {other} |", flush=True)
            missed = missed or (kind == "sdk" and share < 0.5) or (ahead is not None and ahead < 5)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
