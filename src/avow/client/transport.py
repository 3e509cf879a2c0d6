"""A guarded transport or session, for frameworks that bring a session of their own."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from mcp import StdioServerParameters
from mcp.client.session import ClientSession
from mcp.client.stdio import stdio_client
from mcp.shared.dispatcher import CallOptions, DispatchContext
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp.shared.transport_context import TransportContext

from avow.client.cache import SignatureCache, choose_cache
from avow.client.client import GuardedClient
from avow.client.dispatcher import GuardedDispatcher
from avow.client.guard import Guard
from avow.client.http import http_transport
from avow.client.identity import identity_of, named
from avow.client.policy import Guarding

# Each side's dispatcher acts on it and tells the other side itself.
_CANCELLED: Final = "notifications/cancelled"


@asynccontextmanager
async def guarded_session(server: Any, **options: Any) -> AsyncIterator[ClientSession]:
    """A session of the SDK, connected and held to a contract; the options are those of `GuardedClient`.

    Whoever gets it must not initialize it again.
    """
    async with GuardedClient(server, **options) as client:
        yield client.session


@asynccontextmanager
async def guarded_transport(
    server: Any, *, name: str = "", signature_cache: SignatureCache | Path | bool = True, **options: Any
) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of a transport, with the gate between them and the server.

    `server` is a URL, the parameters of a stdio server, or a transport. Refusals reach the session as errors
    of the protocol, with the code -32010. The contract is established with the first request that needs it.
    The options are those of `Guarding`.
    """
    guarding = Guarding(**options).ready()
    guarding.gate_policy()
    identity = named(name) if name else identity_of(server)
    to_session, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    async with to_session, read_stream, write_stream, from_session, _transport(server, guarding) as streams:
        inner = JSONRPCDispatcher(*streams, on_stream_exception=to_session.send)
        guard = Guard(guarding, name or "server", choose_cache(signature_cache), identity)
        bridge = _Bridge(
            JSONRPCDispatcher(from_session, to_session),
            GuardedDispatcher(inner, guard),
        )
        async with anyio.create_task_group() as tasks:
            await tasks.start(bridge.guarded.run, bridge.to_session, bridge.tell_session)
            await tasks.start(bridge.outer.run, bridge.to_server, bridge.tell_server)
            try:
                yield read_stream, write_stream
            finally:
                tasks.cancel_scope.cancel()


class _Bridge:
    """Hands messages between a session's side and the guarded side; ids stay as the session gave them."""

    def __init__(self, outer: JSONRPCDispatcher[Any], guarded: GuardedDispatcher) -> None:
        self.outer = outer
        self.guarded = guarded

    async def to_server(
        self, context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """A request of the session."""
        options: CallOptions = {}
        if context.request_id is not None:
            options["request_id"] = context.request_id
        metadata = context.message_metadata
        if isinstance(metadata, ClientMessageMetadata):
            if metadata.headers is not None:
                options["headers"] = metadata.headers
            if metadata.resumption_token is not None:
                options["resumption_token"] = metadata.resumption_token
            if metadata.on_resumption_token_update is not None:
                options["on_resumption_token"] = metadata.on_resumption_token_update
        return await self.guarded.send_raw_request(method, params, options)

    async def tell_server(
        self, _: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> None:
        """A notification of the session."""
        if method != _CANCELLED:
            await self.guarded.notify(method, params)

    async def to_session(
        self, _: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """A request of the server."""
        return await self.outer.send_raw_request(method, params)

    async def tell_session(
        self, _: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> None:
        """A notification of the server."""
        if method != _CANCELLED:
            await self.outer.notify(method, params)


def _transport(server: Any, guarding: Guarding) -> Any:
    if isinstance(server, str):
        return http_transport(server, guarding.limits)
    if isinstance(server, StdioServerParameters):
        return stdio_client(server)
    return server
