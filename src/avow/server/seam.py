"""The one place where Avow holds on to an SDK server: its middleware and the few private parts it needs.

Everything else in `avow.server` is a `Part`. A part sees each message before the server does (`before`, where
it may refuse) and each result as it will stand on the wire (`after`, where it may add members or take some
away). The seam is the outermost middleware, so nothing sieves what a part has added. To add something new to
the server's side, write a `Part` and append it to `Seam.parts`:

- a member of the `initialize` or `server/discover` result: in `after`, when `request.is_handshake`;
- a refusal of calls: in `before`, raise what `refused` makes;
- a new method: `Seam.serve`.

The middleware of the SDK is provisional, and `_lowlevel_server`, `_mcp_server`, `_connection`, `_bus`,
`_request_outbound` and `_tg` are private to it; they are named here and nowhere else, and tested against the
oldest and the newest release.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
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
from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.protocol.versions import era_of

HANDSHAKES: Final = frozenset({"initialize", "server/discover"})
_UPDATED: Final = "notifications/resources/updated"
_DONE: Final = {"declare": "declared", "guard": "guarded"}

SdkContext: TypeAlias = ServerRequestContext[Any, Any]
SdkServer: TypeAlias = Server[Any]
OutgoingCheck: TypeAlias = Callable[[str, Mapping[str, Any] | None], None]
UpdateCheck: TypeAlias = Callable[[object], Awaitable[bool]]
"""Whether a client may hear of a change of the resource with this URI."""


@dataclass(frozen=True)
class Request:
    """One request or notification of a client, as raw as it came."""

    method: str
    params: JsonObject
    protocol_version: str
    sdk: SdkContext
    notes: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What parts have found out about this request, for themselves."""
    is_nested: bool = False
    """Whether it was made inside the server, while it answers the client's own request."""

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


class Dropped(Exception):  # noqa: N818 - what becomes of a notification, not a mistake
    """A notification goes no further; whoever raises this has told whoever should know."""


class Part:
    """One concern on the server's side. Override what you need.

    A part that has to do with a few methods only says so, since each step costs every call some time.
    """

    before_methods: frozenset[str] | None = None
    after_methods: frozenset[str] | None = None
    minds_nested: bool = False
    """Whether `before` and `visible` are asked about what one capability of a server does with others."""

    async def before(self, request: Request) -> None:
        """Look at a message before the server does; raise what `refused` makes to refuse it.

        A notification that is refused is dropped and logged by the SDK; `Dropped` drops it silently.
        """

    async def after(self, request: Request, result: JsonObject) -> None:
        """Change, in place, the result that is about to be sent."""

    async def visible(
        self,
        kind: Kind,  # noqa: ARG002
        definitions: list[JsonObject],
        request: Request,  # noqa: ARG002
    ) -> list[JsonObject]:
        """Those of some capabilities that the sender of a request may use."""
        return definitions


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
        self._holders: set[str] = set()
        server.middleware.insert(0, self)

    @classmethod
    def held_by(cls, holder: str, server: SdkServer) -> "Seam":
        """The seam of a server, made when it has none; each holder (`declare`, `guard`) takes it once.

        Raises:
            DeclarationError: this holder has it already.
        """
        found = next((each for each in server.middleware if isinstance(each, Seam)), None)
        seam = found or cls(server)
        if holder in seam._holders:
            raise DeclarationError(
                f"the server {server.name!r} is {_DONE[holder]} twice",
                hint=f"call {holder}() once and keep what it returns",
            )
        seam._holders.add(holder)
        return seam

    async def __call__(self, ctx: SdkContext, call_next: CallNext) -> HandlerResult:
        """Run one message through the parts and the server."""
        request = Request.of(ctx)
        try:
            for part in self.parts:
                if part.before_methods is None or request.method in part.before_methods:
                    await part.before(request)
        except Dropped:
            return None
        answer = await call_next(ctx)
        if answer is None or isinstance(answer, ErrorData):
            return answer
        result = _as_sent(answer)
        for part in reversed(self.parts):
            if part.after_methods is None or request.method in part.after_methods:
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


class _Checked:
    """A channel to the client on which requests, and news of resources, are checked first."""

    def __init__(self, channel: Any, check: OutgoingCheck) -> None:
        self.channel = channel
        self._check = check
        self.may_hear: UpdateCheck | None = None

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None
    ) -> dict[str, Any]:
        self._check(method, params)
        answer: dict[str, Any] = await self.channel.send_raw_request(method, params, opts)
        return answer

    async def notify(self, method: str, params: Mapping[str, Any] | None, *rest: Any) -> None:
        may_hear = self.may_hear if method == _UPDATED else None
        if may_hear is None or await may_hear((params or {}).get("uri")):
            await self.channel.notify(method, params, *rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.channel, name)


def check_outgoing(request: Request, check: OutgoingCheck) -> None:
    """Let `check` see, from now on, what the server asks of the client; it raises to keep a request back.

    A session has two channels, that of the request and that of the connection. A connection which cannot
    carry requests keeps its own, by which the SDK recognises it; there the session asks the check itself.
    """
    session, connection = request.sdk.session, request.connection
    session._request_outbound = _Checked(session._request_outbound, check)
    if connection.has_standalone_channel:
        if not isinstance(connection.outbound, _Checked):
            connection.outbound = _Checked(connection.outbound, check)
        return
    send = session.send_request

    async def checked(request: Any, *arguments: Any, **options: Any) -> Any:
        sent = request.model_dump(by_alias=True, mode="json", exclude_none=True)
        check(sent["method"], sent.get("params"))
        return await send(request, *arguments, **options)

    setattr(session, "send_request", checked)  # noqa: B010 - one object's own method


def check_updates(request: Request, may_hear: UpdateCheck) -> None:
    """Ask `may_hear`, from now on, before the client of a request is told that a resource has changed.

    On 2026-07-28 that happens in answer to the request, else over the session's own channel; both are checked
    already for what the server asks.
    """
    for channel in (request.sdk.session._request_outbound, request.connection.outbound):
        if isinstance(channel, _Checked):
            channel.may_hear = may_hear


def end_connection(connection: Connection) -> bool:
    """End a session from the server's side, as when its client leaves; False where the SDK gives no way."""
    channel: Any = connection.outbound
    tasks = getattr(channel.channel if isinstance(channel, _Checked) else channel, "_tg", None)
    if tasks is None:
        return False
    tasks.cancel_scope.cancel()
    return True


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
        hint="it has to be an MCPServer or a low-level Server of mcp 2.x, or a FastMCP 4 server",
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
