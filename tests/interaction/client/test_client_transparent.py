"""A well-behaved server and its user notice nothing: every result, callback and error is the same."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from avow.client import GuardedClient, guarded_transport
from avow.core.snapshot import Era
from guarding import studio
from guarding.peers import MODES
from guarding.studio import Listener, over_http, talk

pytestmark = [
    pytest.mark.anyio,
    # Sampling, roots and logging are on their way out of the protocol, and still in use.
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]

KNOWN: dict[tuple[str, str], list[Any]] = {}
PROGRAM = StdioServerParameters(command=sys.executable, args=["-W", "ignore", studio.__file__])


@asynccontextmanager
async def reached(way: str) -> AsyncIterator[Any]:
    if way == "in process":
        yield studio.studio()
    elif way == "stdio":
        yield stdio_client(PROGRAM)
    else:
        async with over_http(studio.studio()) as url:
            yield url


async def expected(way: str, mode: str) -> list[Any]:
    """What the SDK's own client says and hears; asked once."""
    if (way, mode) not in KNOWN:
        async with reached(way) as server:
            KNOWN[way, mode] = await bare(server, mode)
    return KNOWN[way, mode]


async def bare(server: Any, mode: str) -> list[Any]:
    listener = Listener()
    async with Client(server, mode=mode, **listener.options()) as client:
        return await talk(client, listener)


async def guarded(server: Any, mode: str) -> list[Any]:
    listener = Listener()
    async with GuardedClient(server, mode=mode, **listener.options()) as client:
        return await talk(client, listener)


@pytest.mark.parametrize("way", ["in process", "stdio", "http"])
async def test_a_guarded_client_says_and_hears_the_same(way: str, era: Era) -> None:
    with anyio.fail_after(60):
        async with reached(way) as server:
            assert await guarded(server, MODES[era]) == await expected(way, MODES[era])


async def test_so_does_a_session_on_a_guarded_transport(era: Era) -> None:
    with anyio.fail_after(60):
        async with reached("http") as server:
            assert await bare(guarded_transport(server), MODES[era]) == await expected("http", MODES[era])


async def test_a_version_may_be_settled_beforehand() -> None:
    with anyio.fail_after(30):
        alone = await bare(studio.studio(), "2026-07-28")
        assert await guarded(studio.studio(), "2026-07-28") == alone


async def test_a_program_is_started_from_its_parameters() -> None:
    with anyio.fail_after(30):
        async with GuardedClient(PROGRAM) as client:
            assert (await client.call_tool("paint", {"title": "Sea"})).structured_content is not None
