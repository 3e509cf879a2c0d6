"""What the guard costs a call, and what a flood of half-open sessions costs a guarded server.

python benchmarks/guard.py            calls, in both eras
python benchmarks/guard.py --flood    10,000 handshakes over HTTP that nobody finishes
"""

import asyncio
import gc
import json
import logging
import statistics
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "interaction"), str(ROOT / "tests")]

from avow.core.snapshot import Era  # noqa: E402
from avow.server import guard  # noqa: E402
from declaring.wire import talk  # noqa: E402
from hardened.servers import FRAMEWORKS, bare, hardened  # noqa: E402
from hardened.wire import hello  # noqa: E402

ROUNDS = 12
CALLS = 250
FLOOD = 10_000


async def timed(server: Any, era: Era) -> float:
    """Seconds of work for one call, the client's included; what others do on this machine does not count."""
    async with talk(server, era) as wire:
        began = time.process_time()
        for _ in range(CALLS):
            await wire.result("tools/call", {"name": "count_words", "arguments": {"text": "a b"}})
        return (time.process_time() - began) / CALLS


async def calls() -> None:
    """Compare the same server with and without its guard, in turns: the machine may be busy."""
    for framework in FRAMEWORKS:
        plain, (guarded, _) = bare(framework), hardened(framework)
        for era in Era:
            pairs = [(await timed(plain, era), await timed(guarded, era)) for _ in range(ROUNDS)]
            without, with_guard = min(one for one, _ in pairs), min(two for _, two in pairs)
            middle = statistics.median(two / one for one, two in pairs)
            print(
                f"{framework:9} {era:7} {without * 1e6:7.0f} us plain {with_guard * 1e6:7.0f} us guarded"
                f"   best {with_guard / without:.3f}   median {middle:.3f}"
            )


async def handshake(app: Any) -> int:
    """One `initialize` over HTTP, without a socket; returns the status."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello()}).encode()
    headers = [
        (b"host", b"127.0.0.1:80"),
        (b"content-type", b"application/json"),
        (b"accept", b"application/json, text/event-stream"),
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": headers,
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
    }
    status = 0
    messages = [{"type": "http.request", "body": body}]
    forever = asyncio.Event()

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await forever.wait()
        return None

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    await app(scope, receive, send)
    return status


async def flood(number: int, *, guarded: bool) -> None:
    """Open sessions and leave them half open."""
    server = bare("lowlevel")
    guard(server) if guarded else None
    app = server.streamable_http_app()
    async with server.session_manager.run():
        await handshake(app)
        gc.collect()
        began, before = time.perf_counter(), _resident()
        statuses = [await handshake(app) for _ in range(number)]
        await asyncio.sleep(0.2)
        gc.collect()
        kept = len(server.session_manager._server_instances)
        seconds, more = time.perf_counter() - began, _resident() - before
        print(
            f"{'guarded' if guarded else 'plain':8} {number} handshakes in {seconds:.0f} s,"
            f" {statuses.count(200)} answered; {kept} sessions kept,"
            f" {more:.0f} MiB more than the {before:.0f} MiB before"
        )


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    if "--flood" in sys.argv:
        asyncio.run(flood(FLOOD, guarded="--plain" not in sys.argv))
    else:
        asyncio.run(calls())
