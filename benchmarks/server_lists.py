"""What a declaration costs a server: `python benchmarks/server_lists.py` prints ratios to the bare SDK.

One server lists 1,000 tools, each with an availability check; its twin lists the same tools without Avow.
Both are asked in turn through the SDK's in-process dispatcher, so nothing but the server is measured. Each
figure is the median of many pairs, in processor time. Exit code 1 when a list costs more than 1.2 times the
bare SDK's.
"""

import gc
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import mcp_types
from fastmcp import FastMCP
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.runner import modern_on_request, serve_connection
from mcp.shared.direct_dispatcher import create_direct_dispatcher_pair

from avow.server import AvailabilityContext, Declared, declare
from avow.server.seam import lowlevel_of

TOOLS: Final = 1_000
PAIRS: Final = 25
LIMIT: Final = 1.2
CLIENT: Final = {"name": "benchmark", "version": "1"}
ENVELOPE: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}


def is_available(context: AvailabilityContext) -> bool:
    """What most checks do: look at a scope. Everybody has this one, so both lists are equally long."""
    return "admin" not in context.scopes


async def is_available_later(context: AvailabilityContext) -> bool:
    """The same from a coroutine."""
    return "admin" not in context.scopes


def work(path: str, query: str, limit: int = 10, tags: list[str] | None = None) -> str:
    """Search the documents under a path and return those that fit the query, best first."""
    return f"{path} {query} {limit} {tags}"


def official() -> Any:
    """An `MCPServer` with its tools."""
    mcp = MCPServer("lists", log_level="CRITICAL")
    for number in range(TOOLS):
        mcp.add_tool(work, f"tool_{number}")
    return mcp


def fast() -> Any:
    """A FastMCP server with its tools."""
    mcp: FastMCP[Any] = FastMCP("lists")
    for number in range(TOOLS):
        mcp.tool(name=f"tool_{number}")(work)
    return mcp


def lowlevel() -> Any:
    """A low-level server that has its list ready: the least that a bare server can do."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "query": {"type": "string"}}}
    tools = [
        mcp_types.Tool(name=f"tool_{number}", description=work.__doc__, input_schema=schema)
        for number in range(TOOLS)
    ]

    async def listing(ctx: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=tools)

    server: Server[Any] = Server("lists", on_list_tools=listing)
    return server


def declared(server: Any) -> Any:
    """The server with a check on every tool, one in ten of them a coroutine."""
    avowed: Declared = declare(server)
    for number in range(TOOLS):
        check = is_available if number % 10 else is_available_later
        avowed.restrict("tool", f"tool_{number}", available=check)
    return server


@asynccontextmanager
async def modern(server: Any) -> AsyncIterator[Any]:
    """A client of 2026-07-28."""
    client, serving = create_direct_dispatcher_pair()
    lowlevel = lowlevel_of(server)
    async with lowlevel.lifespan(lowlevel) as state, anyio.create_task_group() as group:
        await group.start(serving.run, modern_on_request(lowlevel, state), ignore)
        await group.start(client.run, ignore, ignore)

        async def ask() -> Any:
            return await client.send_raw_request("tools/list", {"_meta": ENVELOPE})

        yield ask
        group.cancel_scope.cancel()


@asynccontextmanager
async def legacy(server: Any) -> AsyncIterator[Any]:
    """A client of the handshake era."""
    client, serving = create_direct_dispatcher_pair()
    lowlevel = lowlevel_of(server)
    connection = Connection.for_loop(serving)
    async with lowlevel.lifespan(lowlevel) as state, anyio.create_task_group() as group:
        await group.start(client.run, ignore, ignore)

        async def serve(*, task_status: Any) -> None:
            await serve_connection(
                lowlevel, serving, connection=connection, lifespan_state=state, task_status=task_status
            )

        await group.start(serve)
        await client.send_raw_request("initialize", HELLO)
        await client.notify("notifications/initialized", None)

        async def ask() -> Any:
            return await client.send_raw_request("tools/list", {})

        yield ask
        group.cancel_scope.cancel()


async def ignore(*_: Any) -> None:
    """Nobody asks the client for anything."""


async def ratio(make: Callable[[], Any], connect: Callable[[Any], Any]) -> tuple[float, float]:
    """How many times the bare list the declared one costs, and milliseconds of the bare one."""
    async with connect(make()) as bare, connect(declared(make())) as with_avow:
        first, second = await bare(), await with_avow()
        assert len(first["tools"]) == TOOLS
        assert second["tools"] == first["tools"]
        pairs = [(await cost(bare), await cost(with_avow)) for _ in range(PAIRS)]
    return statistics.median(theirs / ours for ours, theirs in pairs), statistics.median(
        one for one, _ in pairs
    )


async def cost(ask: Any) -> float:
    """Milliseconds of processor time for one list."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    await ask()
    spent = (time.process_time() - start) * 1_000
    gc.enable()
    return spent


async def main() -> int:
    """Print one line per framework and era."""
    missed = 0
    for make in (official, lowlevel, fast):
        for connect in (legacy, modern):
            factor, bare = await ratio(make, connect)
            verdict = "" if factor <= LIMIT else f"  more than {LIMIT}"
            missed += factor > LIMIT
            print(f"{make.__name__:<9} {connect.__name__:<7} {bare:7.2f} ms bare  x {factor:.3f}{verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(anyio.run(main))
