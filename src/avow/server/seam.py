"""The one place where Avow holds on to an SDK server: its middleware and the few private parts it needs.

Everything else in `avow.server` is a `Part`. A part sees each message before the server does (`before`, where
it may refuse) and each result as it will stand on the wire (`after`, where it may add members or take some
away). The seam is the outermost middleware, so nothing sieves what a part has added. To add something new to
the server's side, write a `Part` and append it to `Seam.parts`:

- a member of the `initialize` or `server/discover` result: in `after`, when `request.is_handshake`;
- a refusal of calls: in `before`, raise what `refused` makes;
- a new method: `Seam.serve`.

The middleware of the SDK is provisional, and `_lowlevel_server`, `_mcp_server`, `_connection` and `_bus` are
private to it; they are named here and nowhere else, and tested against the oldest and the newest release.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, SubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp_types import ErrorData, RequestParams, SubscriptionsListenRequestParams
from pydantic import BaseModel

from avow.core.canonical import JsonObject, JsonValue
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.protocol.versions import era_of

HANDSHAKES: Final = frozenset({"initialize", "server/discover"})

SdkContext: TypeAlias = ServerRequestContext[Any, Any]
SdkServer: TypeAlias = Server[Any]


@dataclass(frozen=True)
class Request:
    """One request or notification of a client, as raw as it came."""

    method: str
    params: JsonObject
    protocol_version: str
    sdk: SdkContext

    @classmethod
    def of(cls, context: SdkContext) -> "Request":
        """Take a request from the SDK."""
        params = context.params
        return cls(
            context.method,
            dict(params) if isinstance(params, Mapping) else {},
            context.protocol_version,
            context,
        )

    @property
    def is_notification(self) -> bool:
        """Whether nobody waits for an answer."""
        return self.sdk.request_id is None

    @property
    def is_handshake(self) -> bool:
        """Whether its result introduces the server: `initialize` or `server/discover`."""
        return self.method in HANDSHAKES

    @property
    def era(self) -> Era:
        """The era of the request. An `initialize` is legacy whatever version it asks for."""
        return era_of(self.protocol_version) or Era.LEGACY

    @property
    def token(self) -> AccessToken | None:
        """The verified access token, if the transport has one.

        Where the request has a user of its own, nobody else counts: a long-lived session outlives the
        token that opened it.
        """
        scope = getattr(self.sdk.request, "scope", None)
        if not isinstance(scope, Mapping) or "user" not in scope:
            return get_access_token()
        user = scope["user"]
        return user.access_token if isinstance(user, AuthenticatedUser) else None

    @cached_property
    def connection(self) -> Connection:
        """The connection: one session in the handshake era, one request on 2026-07-28."""
        return self.sdk.session._connection


class Part:
    """One concern on the server's side. Override what you need."""

    async def before(self, request: Request) -> None:
        """Look at a message before the server does; raise what `refused` makes to refuse it.

        A notification that is refused is dropped and logged by the SDK.
        """

    async def after(self, request: Request, result: JsonObject) -> None:
        """Change, in place, the result that is about to be sent."""


def refused(code: int, message: str, **facts: JsonValue) -> MCPError:
    """The error with which a part refuses a request; `facts` are what a program may want to know."""
    return MCPError(code, f"avow: {message}", {"avow": facts} if facts else None)


class Seam:
    """The outermost middleware of a server, which asks each part in turn."""

    def __init__(self, server: SdkServer) -> None:
        """Wrap the server; `parts` starts empty.

        Raises:
            DeclarationError: somebody has wrapped it already.
        """
        if any(isinstance(middleware, Seam) for middleware in server.middleware):
            raise DeclarationError(
                f"the server {server.name!r} is declared twice",
                hint="call declare() once and keep what it returns",
            )
        self.server = server
        self.parts: list[Part] = []
        server.middleware.insert(0, self)

    async def __call__(self, ctx: SdkContext, call_next: CallNext) -> HandlerResult:
        """Run one message through the parts and the server."""
        request = Request.of(ctx)
        for part in self.parts:
            await part.before(request)
        answer = await call_next(ctx)
        if answer is None or isinstance(answer, ErrorData):
            return answer
        result = _as_sent(answer)
        for part in reversed(self.parts):
            await part.after(request, result)
        return result

    def serve(self, method: str, answer: Callable[[Request], Awaitable[JsonObject]]) -> None:
        """Answer a method that the protocol does not have; its params reach `answer` as they came."""

        async def handle(context: SdkContext, _: RequestParams) -> JsonObject:
            return await answer(Request.of(context))

        if self.server.get_request_handler(method) is not None:
            raise DeclarationError(f"the server {self.server.name!r} already answers {method!r}")
        self.server.add_request_handler(method, RequestParams, handle)


def _as_sent(answer: BaseModel | dict[str, Any]) -> JsonObject:
    if isinstance(answer, BaseModel):
        return answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return answer


def lowlevel_of(server: object) -> SdkServer:
    """The low-level server inside any server that Avow knows.

    Raises:
        DeclarationError: it is none of them.
    """
    if isinstance(server, Server):
        return server
    inner = getattr(server, "_lowlevel_server" if isinstance(server, MCPServer) else "_mcp_server", None)
    if isinstance(inner, Server):
        return inner
    raise DeclarationError(
        f"{type(server).__module__}.{type(server).__qualname__} is not a server that Avow knows",
        hint="declare() takes an MCPServer or a low-level Server of mcp 2.x, or a FastMCP 4 server",
    )


def subscriptions_of(server: SdkServer) -> SubscriptionBus | None:
    """Where to publish changes for `subscriptions/listen`; None when the author serves it another way."""
    entry = server.get_request_handler("subscriptions/listen")
    if entry is None:
        return None
    return entry.handler._bus if isinstance(entry.handler, ListenHandler) else None


def serve_subscriptions(server: SdkServer) -> None:
    """Serve `subscriptions/listen` where nobody does: 2026-07-28 has no other way to tell of changes."""
    if server.get_request_handler("subscriptions/listen") is None:
        server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, ListenHandler(InMemorySubscriptionBus())
        )
