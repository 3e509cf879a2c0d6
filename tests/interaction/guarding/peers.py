"""Servers in memory for the SDK's real client: they say what a test tells them to, however wrong it is."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from avow.core.capability import Kind
from avow.core.snapshot import Era
from conversations import ECHO, TIME, VERSION_KEY, Json, Server, signature

PATIENCE = 10
MODES = {Era.LEGACY: "legacy", Era.MODERN: "auto"}


class Peer:
    """A transport to a server that answers as `Server` does; what it sends by itself goes through `say`."""

    def __init__(self, server: Server | None = None) -> None:
        self.server = server or Server()
        self.changed = anyio.Event()

    async def say(self, message: Json) -> None:
        """The server sends something by itself."""
        await self._send(message)

    async def say_item(self, item: Exception) -> None:
        """The transport meets something that it cannot read."""
        await self._to_client.send(item)

    async def hang_up(self) -> None:
        """The server goes away."""
        await self._to_client.aclose()

    async def __aenter__(self) -> tuple[Any, Any]:
        self._context = self._connected()
        return await self._context.__aenter__()

    async def __aexit__(self, *exc: Any) -> None:
        await self._context.__aexit__(*exc)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[Any, Any]]:
        self._to_client, read = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        write, from_client = anyio.create_memory_object_stream[SessionMessage](100)
        async with self._to_client, read, write, from_client, anyio.create_task_group() as tasks:
            tasks.start_soon(self._serve, from_client)
            try:
                yield read, write
            finally:
                tasks.cancel_scope.cancel()

    async def _serve(self, from_client: Any) -> None:
        async for item in from_client:
            message = item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            replies = self.server.receive(message)
            self.changed.set()
            self.changed = anyio.Event()
            for reply in replies:
                assert isinstance(reply, dict)
                await self._send(_complete(message, reply))

    async def _send(self, message: Json) -> None:
        # As bytes once, so that what a server says is read as the SDK's transports read it.
        await self._to_client.send(
            SessionMessage(jsonrpc_message_adapter.validate_json(json.dumps(message), by_name=False))
        )


def _complete(request: Json, reply: Json) -> Json:
    """What 2026-07-28 wants in the result of a list."""
    modern = VERSION_KEY in request.get("params", {}).get("_meta", {})
    if modern and "result" in reply and request["method"].endswith("/list"):
        return {**reply, "result": {"ttlMs": 0, "cacheScope": "private", **reply["result"]}}
    return reply


def declaration(*tools: Json, **members: Any) -> Json:
    """The result of `signature` for these tools and whatever else the server of the tests offers."""
    whole = signature(tools=tools or (ECHO, TIME))
    lists = {kind.collection: [item.definition for item in whole.of_kind(kind).values()] for kind in Kind}
    return {**lists, "digest": whole.digest, "complete": True, **members}


def declaring(*tools: Json, advertised: Json | None = None, **members: Any) -> Peer:
    """A server that declares these tools; `members` replace parts of what it declares."""
    declared = declaration(*tools)
    server = Server(signature={**declared, **members})
    own = {"digest": declared["digest"]} if advertised is None else advertised
    server.capabilities = {
        "tools": {"listChanged": True},
        "prompts": {},
        "resources": {},
        "signature": own,
        "extensions": {"dev.avow/signature": own},
    }
    if tools:
        server.tools = list(tools)
    return Peer(server)
