"""Telling of changes: a client that does not read does not keep the others waiting."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server

from avow.core.capability import Kind
from avow.server import telling
from avow.server.telling import Audience

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Channel:
    """A client's end: it reads, or it never does."""

    def __init__(self, *, reads: bool) -> None:
        self.heard: list[str] = []
        self._reads = reads

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        if not self._reads:
            await anyio.sleep_forever()
        self.heard.append(method)

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> dict[str, Any]:
        raise AssertionError("nobody is asked for anything")


class Handshake:
    """As much of a request as an audience looks at."""

    method = "initialize"

    def __init__(self, channel: Channel) -> None:
        self.connection = Connection.for_loop(channel)
        self.connection.initialized.set()


async def test_a_client_that_does_not_read_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "PATIENCE", 0.05)
    audience = Audience(Server("plain"))
    slow, quick = Channel(reads=False), Channel(reads=True)
    handshakes: list[Any] = [Handshake(slow), Handshake(quick)]
    for handshake in handshakes:
        await audience.after(handshake, {})

    with anyio.fail_after(5):
        await audience.lists_changed([Kind.TOOL, Kind.RESOURCE, Kind.TEMPLATE])

    assert slow.heard == []
    assert quick.heard == ["notifications/resources/list_changed", "notifications/tools/list_changed"]


async def test_a_session_is_remembered_once_and_until_it_ends() -> None:
    audience = Audience(Server("plain"))
    channel = Channel(reads=True)
    handshake: Any = Handshake(channel)
    await audience.after(handshake, {})
    await audience.after(handshake, {})

    await audience.signature_changed()
    await handshake.connection.exit_stack.aclose()
    await audience.signature_changed()

    assert channel.heard == ["notifications/signature/changed"]
