"""The SDK's client, held to a contract: the same calls, and nothing from a server that it did not declare."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeAlias

from mcp import Client, MCPError
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import Dispatcher
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import METHOD_NOT_FOUND, EmptyResult, Request, RequestParams, Result

from avow.client.cache import SignatureCache, choose_cache
from avow.client.dispatcher import CONTRACT, GuardedDispatcher
from avow.client.guard import Guard
from avow.client.http import http_transport
from avow.client.identity import identity_of, named
from avow.client.output import OutputChecks
from avow.client.policy import Guarding, OnViolation
from avow.client.renewal import CAUTIOUS, Approve, Proposal, Renewal, consider
from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.core.permissions import Permissions, permissions
from avow.core.variants import select
from avow.errors import AvowError, UsageError

Connect: TypeAlias = Callable[[AsyncExitStack, Any, bool], Awaitable[Dispatcher[Any]]]

_WORST: Final = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


class _ResolveParams(RequestParams):
    name: str
    arguments: dict[str, Any]


class _ResolveRequest(Request[_ResolveParams, Literal["tools/resolve"]]):
    name_param: ClassVar[str | None] = "name"
    method: Literal["tools/resolve"] = "tools/resolve"


class _ResolveResult(Result):
    tool: dict[str, Any]


class _ContractRequest(Request[RequestParams | None, Literal["avow/contract"]]):
    method: Literal["avow/contract"] = CONTRACT
    params: RequestParams | None = None


class GuardedClient(Client):
    """A drop-in for the SDK's `Client` that holds its server to a contract.

    It takes every server and every option that `Client` takes, and those of `Guarding`. Entering it connects
    and establishes the contract: the one that was given, the signature that the server declares, or what
    `fallback` says. From then on a call outside the contract raises `CallRefusedError` before the server
    sees it, and an answer that goes beyond it is treated as `on_violation` says.
    """

    def __init__(
        self,
        server: Any,
        *,
        name: str = "",
        signature_cache: SignatureCache | Path | bool = True,
        cache: Any = True,
        **options: Any,
    ) -> None:
        """Prepare a connection; nothing happens before it is entered.

        `name` is what the server is called in errors and in the cache of signatures, which can be a place, or
        off. `cache` is the SDK's cache of answers; `False` turns both caches off.
        """
        own = {key: options.pop(key) for key in tuple(options) if key in Guarding.__slots__}
        self._guarding = Guarding(**own)
        self._guarding.gate_policy()
        self._name = name
        self._identity = named(name) if name else identity_of(server)
        self._signature_cache = None if cache is False else choose_cache(signature_cache)
        self._dispatcher: GuardedDispatcher | None = None
        if not isinstance(cache, bool):
            options["cache"] = cache
        elif cache is False:
            options["cache"] = None
        super().__init__(server, **options)
        connect = _over_http(server, self._guarding) if isinstance(server, str) else self._connect
        self._connect = self._guarded(connect)

    @property
    def contract(self) -> Contract:
        """What the server is held to."""
        contract = self._connection.guard.gate.contract
        assert contract is not None
        return contract

    @property
    def signature(self) -> Signature:
        """Everything that the server may ever offer."""
        return self.contract.signature

    def permissions(self) -> Permissions:
        """Every scope, annotation and risk that a call of this server may come to, before any call."""
        return permissions(self.signature, open_kinds=self.contract.open)

    async def resolve(self, name: str, arguments: dict[str, Any] | None = None) -> JsonObject:
        """The tool as it is for a call with these arguments: its annotations and required scopes.

        What the contract says is not asked for. A server that serves `tools/resolve` may confirm what it
        declared, and no more: neither less safety nor more of it is believed. A tool that it did not declare,
        and that may be called because the contract is open, is taken at its worst.

        Raises:
            CallRefusedError: there is no such tool in the contract.
            AnswerRefusedError: the server's answer is not one that it declared.
        """
        tool = self.contract.find(Kind.TOOL, name)
        if tool is not None and "resolvedVariants" in tool.definition:
            return select(tool.definition, arguments or {})
        is_logged = OnViolation(self._guarding.on_violation) is OnViolation.LOG
        if tool is None and (is_logged or Kind.TOOL in self.contract.open):
            return {"name": name, "annotations": dict(_WORST)}
        if tool is not None and is_logged:
            # Nothing would hold the answer back.
            return tool.definition
        request = _ResolveRequest(params=_ResolveParams(name=name, arguments=arguments or {}))
        try:
            return (await self.session.send_request(request, _ResolveResult)).tool
        except MCPError as exc:
            if exc.code == METHOD_NOT_FOUND and tool is not None:
                return tool.definition
            raise

    async def refresh_signature(self, approve: Approve = CAUTIOUS) -> Renewal:
        """Ask the server again what it may offer, and hold it to that if the drift is approved.

        `approve` is a policy for drift, or a function that says yes or no to a `Proposal`. By default
        nothing is approved but what is `info` or `safe`. Whatever happens, there is a contract.

        Raises:
            UsageError: the contract was given by a person, who alone can change it.
            SignatureUnusableError: what the server declares now is none; the old contract stays.
            SignatureTimeoutError: it does not say in time; the old contract stays.
        """
        before = self.contract
        if before.source is ContractSource.LOCK:
            raise UsageError("the server is held to a lock entry", hint="run `avow lock` to approve another")
        after = await self._connection.renew()
        renewal = consider(Proposal(before, after), approve, self._name)
        if renewal.approved:
            self._connection.adopt(after)
        return renewal

    async def __aenter__(self) -> "GuardedClient":
        """Connect and establish the contract.

        Raises:
            StorageError: the lockfile cannot be read.
            LockfileError: it is not what it says it is, or has no such entry.
            ContractViolationError: the server may not be used at all.
            SignatureUnusableError: what it declares is no contract.
            SignatureTimeoutError: it does not say in time what it can do.
        """
        self._guarding = self._guarding.ready()
        try:
            await super().__aenter__()
        except Exception as exc:
            raise self._reason(exc) from exc
        try:
            await self.session.send_request(_ContractRequest(), EmptyResult)
        except Exception:
            await self.__aexit__(None, None, None)
            raise
        except BaseException as exc:
            await self.__aexit__(type(exc), exc, exc.__traceback__)
            raise
        return self

    async def _build_session(self, exit_stack: AsyncExitStack) -> ClientSession:
        session = await super()._build_session(exit_stack)

        async def listed(name: str) -> JsonValue:
            # The SDK keeps the schemas of what it lists there, and has no other way to ask for one.
            if name not in session._tool_output_schemas:
                await session.list_tools()
            return session._tool_output_schemas.get(name)

        checks = OutputChecks(self._connection.guard.gate, listed)
        session.validate_tool_result = checks.validate  # type: ignore[method-assign]
        return session

    def _guarded(self, connect: Connect) -> Connect:
        """The SDK's way to connect, with a guard at its end."""

        async def connected(stack: AsyncExitStack, mode: Any, raise_exceptions: bool) -> Dispatcher[Any]:
            inner = await connect(stack, mode, raise_exceptions)
            if isinstance(inner, JSONRPCDispatcher) and self.message_handler is not None:
                # The session does this for a dispatcher that it knows.
                inner.on_stream_exception = self.message_handler
            guard = Guard(self._guarding, self._name or "server", self._signature_cache, self._identity)
            self._dispatcher = GuardedDispatcher(inner, guard)
            return self._dispatcher

        return connected

    def _reason(self, exc: Exception) -> Exception:
        """Why there is no connection: our own reason, where the gate ended it."""
        if self._dispatcher is not None and self._dispatcher.ended is not None:
            return self._dispatcher.ended
        inner = exc
        while isinstance(inner, ExceptionGroup) and len(inner.exceptions) == 1:
            inner = inner.exceptions[0]
        return inner if isinstance(inner, AvowError) else exc

    @property
    def _connection(self) -> GuardedDispatcher:
        if self._dispatcher is None:
            raise RuntimeError("Client must be used within an async context manager")
        return self._dispatcher


def _over_http(url: str, guarding: Guarding) -> Connect:
    async def connect(stack: AsyncExitStack, _mode: Any, _raise_exceptions: bool) -> Dispatcher[Any]:
        streams = await stack.enter_async_context(http_transport(url, guarding.limits))
        return JSONRPCDispatcher(*streams)

    return connect
