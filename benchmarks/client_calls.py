"""What a guarded client adds to a small call, against the SDK's own client, with the same server.

Both clients are connected at once and called in turns, so that a noisy machine is noisy for both. What the
guarded one adds is the median of what a round with it took longer than the round beside it. Every way to
reach a server and both eras are measured, with a tool whose result is checked against a schema and one
whose result is not.
"""

import operator
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer

from avow.client import GuardedClient

BAR: Final = 1.1
ROUNDS: Final = 200
CALLS: Final = 4
WAYS: Final = ("in process", "stdio", "http")
MODES: Final = ("legacy", "auto")
TOOLS: Final[dict[str, dict[str, Any]]] = {"add": {"a": 1, "b": 2}, "echo": {"text": "hello world"}}


def server() -> MCPServer:
    """Two small tools."""
    made = MCPServer("calls")

    @made.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @made.tool(structured_output=False)
    def echo(text: str) -> str:
        """Say it again."""
        return text

    return made


@asynccontextmanager
async def reached(way: str) -> AsyncIterator[Any]:
    """Something that both clients can connect to."""
    if way == "in process":
        yield server()
    elif way == "stdio":
        yield StdioServerParameters(command=sys.executable, args=[__file__, "serve"])
    else:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, __file__, "serve", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            await listening(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait()


async def listening(port: int) -> None:
    """Wait until the server takes connections."""
    with anyio.fail_after(30):
        while True:
            try:
                await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
            except OSError:
                await anyio.sleep(0.05)
            else:
                return


async def microseconds(client: Client, tool: str) -> float:
    """What one call takes, over a round of them."""
    arguments = TOOLS[tool]
    started = time.perf_counter()
    for _ in range(CALLS):
        await client.call_tool(tool, arguments)
    return (time.perf_counter() - started) / CALLS * 1e6


async def compare(way: str, mode: str) -> list[float]:
    """The ratio for each tool, printed on the way."""
    ratios = []
    async with (
        reached(way) as target,
        Client(target, mode=mode) as bare,
        GuardedClient(target, mode=mode, signature_cache=False) as guarded,
    ):
        for tool in TOOLS:
            rounds: dict[bool, list[float]] = {False: [], True: []}
            for number in range(2 * ROUNDS):
                # Neither always comes first.
                held = number % 4 in (1, 2)
                rounds[held].append(await microseconds(guarded if held else bare, tool))
            alone = statistics.median(rounds[False])
            guards = alone + statistics.median(map(operator.sub, rounds[True], rounds[False]))
            ratios.append(guards / alone)
            figures = f"{alone:>8.0f}{guards:>10.0f}{guards / alone:>8.2f}"
            sys.stdout.write(f"{way:<12}{bare.protocol_version:<12}{tool:<6}{figures}\n")
    return ratios


async def main() -> int:
    """Print a table; 1 when a ratio is above the bar."""
    sys.stdout.write(f"{'way':<12}{'version':<12}{'tool':<6}{'bare µs':>8}{'guarded':>10}{'ratio':>8}\n")
    ratios = [ratio for way in WAYS for mode in MODES for ratio in await compare(way, mode)]
    missed = max(ratios) > BAR
    sys.stdout.write(
        f"at most {max(ratios):.2f} times the time, the bar is {BAR}: {'missed' if missed else 'met'}\n"
    )
    return int(missed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        if len(sys.argv) > 2:
            server().run("streamable-http", port=int(sys.argv[2]))
        else:
            server().run()
    else:
        sys.exit(anyio.run(main))
