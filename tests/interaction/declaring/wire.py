"""Raw JSON-RPC with a server object in memory: what is sent and received is what a wire would carry."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import TaskGroup
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from avow.core.snapshot import Era
from avow.server.seam import lowlevel_of

Json = dict[str, Any]

LATEST = {Era.LEGACY: "2025-11-25", Era.MODERN: "2026-07-28"}
CLIENT = {"name": "tester", "version": "1"}
HELLO = {"protocolVersion": LATEST[Era.LEGACY], "capabilities": {}, "clientInfo": CLIENT}
PATIENCE = 20.0


class Wire:
    """One client's end of a conversation."""

    def __init__(self, era: Era, version: str, send: Any) -> None:
        self.era = era
        self.version = version
        self.hello: Json = {}
        self.notifications: list[Json] = []
        self._send = send
        self._answers: dict[int, Json] = {}
        self._news = anyio.Event()
        self._number = 0

    async def request(self, method: str, params: Json | None = None) -> Json:
        """Ask, and wait for the whole answer: `result` or `error`."""
        number = await self.ask(method, params)
        with anyio.fail_after(PATIENCE):
            while number not in self._answers:
                await self._news.wait()
        return self._answers[number]

    async def result(self, method: str, params: Json | None = None) -> Json:
        """The result of a request that must succeed."""
        answer = await self.request(method, params)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    async def error(self, method: str, params: Json | None = None) -> Json:
        """The error of a request that must fail."""
        answer = await self.request(method, params)
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    async def listed(self, method: str = "tools/list") -> list[str]:
        """The names in a list."""
        result = await self.result(method)
        (items,) = (value for value in result.values() if isinstance(value, list))
        return [item.get("name") if "name" in item and "uri" not in item else item["uri"] for item in items]

    async def ask(self, method: str, params: Json | None = None) -> int:
        """Send a request without waiting for the answer."""
        self._number += 1
        await self.send({"id": self._number, "method": method, "params": self._enveloped(params)})
        return self._number

    async def send(self, message: Json) -> None:
        """Send a message as it is."""
        parsed = jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **message}, by_name=False)
        await self._send.send(SessionMessage(parsed))

    async def notification(self, method: str) -> Json:
        """Wait for a notification."""
        with anyio.fail_after(PATIENCE):
            while not (found := [one for one in self.notifications if one["method"] == method]):
                await self._news.wait()
        return found[0]

    def arrived(self, message: Json) -> None:
        """Take a message from the server."""
        if "method" in message:
            self.notifications.append(message)
        else:
            self._answers[message["id"]] = message
        self._news.set()
        self._news = anyio.Event()

    def _enveloped(self, params: Json | None) -> Json:
        if self.era is Era.LEGACY:
            return params or {}
        meta = {
            "io.modelcontextprotocol/protocolVersion": self.version,
            "io.modelcontextprotocol/clientInfo": CLIENT,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        return {**(params or {}), "_meta": meta}


@asynccontextmanager
async def talk(
    server: object,
    era: Era,
    version: str | None = None,
    *,
    scopes: tuple[str, ...] | None = None,
    shake_hands: bool = True,
) -> AsyncIterator[Wire]:
    """Connect to a server object and shake hands; `scopes` are those of the client's access token."""
    lowlevel = lowlevel_of(server)
    version = version or LATEST[era]
    user = _user(scopes)
    async with create_client_server_memory_streams() as ((read, write), (server_read, server_write)):
        wire = Wire(era, version, write)
        async with anyio.create_task_group() as group:
            _start(group, lowlevel, server_read, server_write)
            group.start_soon(_receive, read, wire)
            token = auth_context_var.set(user)
            try:
                if shake_hands:
                    await _shake_hands(wire)
                yield wire
            finally:
                auth_context_var.reset(token)
            await write.aclose()
            group.cancel_scope.cancel()


async def _shake_hands(wire: Wire) -> None:
    if wire.era is Era.MODERN:
        wire.hello = await wire.result("server/discover")
        return
    wire.hello = await wire.result("initialize", {**HELLO, "protocolVersion": wire.version})
    await wire.send({"method": "notifications/initialized"})


def _user(scopes: tuple[str, ...] | None) -> AuthenticatedUser | None:
    if scopes is None:
        return None
    return AuthenticatedUser(
        AccessToken(
            token="secret", client_id="tester", scopes=list(scopes), subject="ada", claims={"iss": "us"}
        )
    )


def _start(group: TaskGroup, server: Any, read: Any, write: Any) -> None:
    async def run() -> None:
        await server.run(read, write, server.create_initialization_options())

    group.start_soon(run)


async def _receive(read: Any, wire: Wire) -> None:
    async for message in read:
        assert isinstance(message, SessionMessage), message
        wire.arrived(message.message.model_dump(by_alias=True, mode="json", exclude_none=True))
