"""Telling clients of a change: sessions of the handshake era, and subscriptions of 2026-07-28."""

from collections.abc import Iterable
from typing import Final

import anyio
from mcp.server.connection import Connection
from mcp.shared.subscriptions import PromptsListChanged, ResourcesListChanged, ServerEvent, ToolsListChanged

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.server.seam import Part, Request, SdkServer, subscriptions_of

SIGNATURE_CHANGED: Final = "notifications/signature/changed"
PATIENCE: Final = 5.0
"""Seconds that one client may take to accept a notification before it goes without."""

_NOTIFICATIONS: Final = {
    Kind.TOOL: "notifications/tools/list_changed",
    Kind.PROMPT: "notifications/prompts/list_changed",
    Kind.RESOURCE: "notifications/resources/list_changed",
    Kind.TEMPLATE: "notifications/resources/list_changed",
}
_EVENTS: Final[dict[str, ServerEvent]] = {
    "notifications/tools/list_changed": ToolsListChanged(),
    "notifications/prompts/list_changed": PromptsListChanged(),
    "notifications/resources/list_changed": ResourcesListChanged(),
}


class Audience(Part):
    """Everybody who is connected and may be told."""

    def __init__(self, server: SdkServer) -> None:
        """Nobody is there yet."""
        self._server = server
        self._sessions: set[Connection] = set()

    async def after(self, request: Request, result: JsonObject) -> None:  # noqa: ARG002
        """Remember a session from its handshake until it ends."""
        if request.method != "initialize":
            return
        connection = request.connection
        if connection not in self._sessions:
            self._sessions.add(connection)
            connection.exit_stack.callback(self._sessions.discard, connection)

    async def lists_changed(self, kinds: Iterable[Kind]) -> None:
        """Tell everybody that the lists of these kinds may show something else now."""
        methods = sorted({_NOTIFICATIONS[kind] for kind in kinds})
        await self._notify(methods)
        bus = subscriptions_of(self._server)
        for method in methods:
            if bus is not None:
                await bus.publish(_EVENTS[method])

    async def signature_changed(self) -> None:
        """Tell the sessions of the handshake era that a new signature can be asked for."""
        await self._notify([SIGNATURE_CHANGED])

    async def _notify(self, methods: Iterable[str]) -> None:
        async with anyio.create_task_group() as group:
            for connection in self._sessions:
                # Before that the client has not said that it is ready for notifications.
                if connection.initialized.is_set():
                    group.start_soon(_send, connection, methods)


async def _send(connection: Connection, methods: Iterable[str]) -> None:
    with anyio.move_on_after(PATIENCE):
        for method in methods:
            await connection.notify(method, None)
