"""Declared servers over Streamable HTTP: lists that depend on the access token, and news of a change."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from avow.core.snapshot import Era

SERVER = Path(__file__).parent / "servers" / "avowed.py"
MODES = {Era.LEGACY: "legacy", Era.MODERN: "auto"}
PATIENCE = 60.0
Json = dict[str, Any]

pytestmark = pytest.mark.parametrize("framework", ["official", "lowlevel", "fastmcp"], scope="module")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def url(framework: str) -> Iterator[str]:
    command = [sys.executable, str(SERVER), framework, "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        process.terminate()
        process.wait(PATIENCE)


@asynccontextmanager
async def connected(url: str, era: Era, token: str, **options: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    with anyio.fail_after(PATIENCE):
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=MODES[era], **options) as client:
                yield client


@pytest.mark.anyio
@pytest.mark.parametrize("era", list(Era))
async def test_a_list_depends_on_the_access_token(url: str, era: Era) -> None:
    async with connected(url, era, "guest") as guest:
        shown = {tool.name for tool in (await guest.list_tools()).tools}
        with pytest.raises(MCPError, match="'admin_dashboard' is not available to you now"):
            await guest.call_tool("admin_dashboard", {})
    async with connected(url, era, "boss") as boss:
        everything = {tool.name for tool in (await boss.list_tools()).tools}
        dashboard = await boss.call_tool("admin_dashboard", {})

    assert "admin_dashboard" not in shown
    assert everything == shown | {"admin_dashboard"}
    assert "42 users" in str(dashboard.content)


def test_the_signature_is_the_same_for_everybody_on_the_wire(url: str) -> None:
    signatures = [_ask(url, token, "signature") for token in ("guest", "boss")]
    discovered = _ask(url, "guest", "server/discover")

    assert signatures[0] == signatures[1]
    announcement = {"digest": signatures[0]["digest"]}
    assert discovered["capabilities"]["signature"] == announcement
    assert discovered["capabilities"]["extensions"]["dev.avow/signature"] == announcement
    assert "admin_dashboard" in [tool["name"] for tool in signatures[0]["tools"]]


def _ask(url: str, token: str, method: str) -> Json:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}
    answer = httpx.post(url, json=body, headers=headers, timeout=PATIENCE)
    assert answer.status_code == 200, answer.text
    result: Json = answer.json()["result"]
    return result


@pytest.mark.anyio
@pytest.mark.parametrize("era", list(Era))
async def test_a_change_reaches_who_asked_for_it(url: str, era: Era) -> None:
    heard = anyio.Event()

    async def handle(message: object) -> None:
        if "ListChanged" in type(message).__name__:
            heard.set()

    async with connected(url, era, "guest", message_handler=handle) as client:
        await client.list_tools()
        if era is Era.MODERN:
            async with client.listen(tools_list_changed=True) as changes:
                await client.call_tool("promote", {})
                await anext(aiter(changes))
        else:
            # The client opens its stream for notifications when it likes; who is not there misses them.
            while not heard.is_set():
                await client.call_tool("promote", {})
                with anyio.move_on_after(0.2):
                    await heard.wait()
        assert "late_feature" in [tool.name for tool in (await client.list_tools()).tools]
