"""Talking to a server object in its own process, in both eras, in raw JSON-RPC: what a wire would carry."""

import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import anyio
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.shared.memory import MessageStream, create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from avow.core.canonical import JsonObject, JsonValue
from avow.core.snapshot import Era
from avow.protocol.gate.stateless import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from avow.protocol.messages import METHOD_NOT_FOUND
from avow.protocol.versions import KNOWN, MODERN
from avow.server.seam import lowlevel_of

_FAREWELL: Final = 2.0
VERSIONS: Final = {Era.LEGACY: [v for v in KNOWN if v not in MODERN][-1], Era.MODERN: MODERN[-1]}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who speaks to the server: what the access token of an HTTP request would say, and the client.

    Without scopes, subject, client and claims nobody is authenticated, as over stdio. `capabilities` and the
    client's name, version and title are what it says of itself. `within` makes a context manager around the
    session, for what is not in a request: the environment, a database, the time.
    """

    scopes: frozenset[str] | tuple[str, ...] = ()
    subject: str | None = None
    client_id: str | None = None
    claims: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    client_name: str = "avow-testing"
    capabilities: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    within: Callable[[], AbstractContextManager[Any]] | None = field(default=None, compare=False)
    client_version: str = "0"
    client_title: str | None = None

    def __str__(self) -> str:
        """The caller in a few words, for messages."""
        said = [self.subject or self.client_id or ("somebody" if self._is_known else "an anonymous client")]
        said += [f"with the scopes {', '.join(sorted(self.scopes))}"] if self.scopes else []
        said += [f"with the claims {dict(self.claims)}"] if self.claims else []
        return " ".join(said)

    @property
    def _is_known(self) -> bool:
        return bool(self.scopes or self.subject or self.client_id or self.claims)

    @property
    def user(self) -> AuthenticatedUser | None:
        """What the transport would have verified."""
        if not self._is_known:
            return None
        return AuthenticatedUser(
            AccessToken(
                token="",
                client_id=self.client_id or "avow-testing",
                scopes=sorted(self.scopes),
                subject=self.subject,
                claims=dict(self.claims) or None,
            )
        )


class RefusedError(Exception):
    """The server answered a request with an error."""

    def __init__(self, method: str, error: ErrorData) -> None:
        """Keep the error as it came."""
        super().__init__(f"{method}: {error.message} ({error.code})")
        self.code = error.code
        self.message = error.message
        self.data: Any = error.data


class StoppedError(Exception):
    """The server ended before it had answered."""


class Conversation:
    """One connection with a server, opened in one era; `introduction` is what it said first."""

    def __init__(self, era: Era, caller: Caller, streams: MessageStream) -> None:
        """Nothing is said yet."""
        self.era = era
        self.introduction: JsonObject = {}
        self.notified: list[str] = []
        self._caller = caller
        self._reading, self._writing = streams
        self._ids = 0
        self._answers: dict[object, JSONRPCResponse | JSONRPCError] = {}
        self._news = anyio.Event()
        self._has_ended = False

    async def request(self, method: str, **params: JsonValue) -> JsonObject:
        """Ask, and wait for the result.

        Raises:
            RefusedError: the answer is an error.
            StoppedError: there is no answer any more.
        """
        self._ids += 1
        number = self._ids
        await self._send(
            JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=self._enveloped(params))
        )
        await self._until(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if isinstance(answer, JSONRPCError):
            raise RefusedError(method, answer.error)
        return answer.result

    async def open(self) -> None:
        """Introduce ourselves, and hear who the server is."""
        if self.era is Era.MODERN:
            self.introduction = await self.request("server/discover")
            return
        self.introduction = await self.request(
            "initialize",
            protocolVersion=VERSIONS[self.era],
            capabilities=dict(self._caller.capabilities),
            clientInfo=self._client_info,
        )
        await self._send(JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"))
        # The server handles messages in turn: after this one it knows that we are ready.
        await self.request("ping")

    async def wait_for(self, notification: str, seconds: float) -> bool:
        """Whether a notification came, now or soon."""
        with anyio.move_on_after(seconds):
            await self._until(lambda: notification in self.notified)
        return notification in self.notified

    async def listen(self) -> None:
        """Take in what the server sends, until it ends."""
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for item in self._reading:
                message = item.message if isinstance(item, SessionMessage) else None
                match message:
                    case JSONRPCResponse() | JSONRPCError():
                        self._answers[message.id] = message
                    case JSONRPCNotification():
                        self.notified.append(message.method)
                    case JSONRPCRequest():
                        refusal = ErrorData(code=METHOD_NOT_FOUND, message="this client offers nothing")
                        await self._send(JSONRPCError(jsonrpc="2.0", id=message.id, error=refusal))
                    case None:
                        continue
                self._wake()
        self.end()

    async def has_left(self, seconds: float) -> bool:
        """Whether the server ends by itself, now that nobody will ask any more."""
        with anyio.move_on_after(seconds):
            while not self._has_ended:
                await self._news.wait()
        return self._has_ended

    def end(self) -> None:
        """Nobody will answer any more."""
        self._has_ended = True
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()

    async def _until(self, is_so: Any) -> None:
        while not is_so():
            if self._has_ended:
                raise StoppedError("the server stopped before it had answered")
            await self._news.wait()

    async def _send(self, message: JSONRPCRequest | JSONRPCNotification | JSONRPCError) -> None:
        # The streams carry the context of the sender along, as HTTP carries its token.
        token = auth_context_var.set(self._caller.user)
        try:
            await self._writing.send(SessionMessage(message))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as exc:
            raise StoppedError("the server stopped before it was asked") from exc
        finally:
            auth_context_var.reset(token)

    @property
    def _client_info(self) -> JsonObject:
        caller = self._caller
        title = {"title": caller.client_title} if caller.client_title is not None else {}
        return {"name": caller.client_name, "version": caller.client_version, **title}

    def _enveloped(self, params: JsonObject) -> JsonObject:
        if self.era is not Era.MODERN:
            return params
        envelope = {
            VERSION_KEY: VERSIONS[self.era],
            CLIENT_KEY: self._client_info,
            CAPABILITIES_KEY: dict(self._caller.capabilities),
        }
        return {**params, "_meta": envelope}


@asynccontextmanager
async def converse(
    server: Any, era: Era, caller: Caller, *, seconds: float = math.inf
) -> AsyncIterator[Conversation]:
    """Run a server for one connection and introduce ourselves; it must be done within `seconds`.

    Raises:
        DeclarationError: it is no server that Avow knows.
        RefusedError: it does not let us in.
        TimeoutError: it takes too long.
    """
    try:
        async with _running(server, era, caller, seconds) as conversation:
            yield conversation
    except BaseExceptionGroup as group:
        raise _cause(group) from None


@asynccontextmanager
async def _running(server: Any, era: Era, caller: Caller, seconds: float) -> AsyncIterator[Conversation]:
    lowlevel = lowlevel_of(server)
    async with AsyncExitStack() as stack:
        stack.enter_context(anyio.fail_after(seconds))
        # FastMCP keeps its start-up and shut-down code outside of the server that it wraps.
        lifespan = getattr(server, "_lifespan_manager", None)
        if lifespan is not None:
            await stack.enter_async_context(lifespan())
        ours, theirs = await stack.enter_async_context(create_client_server_memory_streams())
        conversation = Conversation(era, caller, ours)

        async def run() -> None:
            try:
                await lowlevel.run(*theirs, lowlevel.create_initialization_options())
            finally:
                conversation.end()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            group.start_soon(conversation.listen)
            await conversation.open()
            yield conversation
            await ours[1].aclose()
            if not await conversation.has_left(_FAREWELL):
                group.cancel_scope.cancel()
            await theirs[1].aclose()


def _cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong first: that the other side then heard nothing more is a consequence."""
    inner = [_cause(one) if isinstance(one, BaseExceptionGroup) else one for one in group.exceptions]
    return next((one for one in inner if not isinstance(one, StoppedError)), inner[0])
