"""The gate between the SDK's session and whatever carries its messages.

The SDK's session speaks to a dispatcher: requests go out as calls that return, and what a server sends
comes in through handlers. Here is a dispatcher around another one. It makes of every message the line that
the gate reads, and does as the gate decides; rules it has none. All that depends on this interface of
the SDK, which calls a part of it provisional, is in this module.
"""

import itertools
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final

import anyio
import anyio.abc
from mcp import MCPError
from mcp.shared.dispatcher import (
    CallOptions,
    DispatchContext,
    Dispatcher,
    OnNotify,
    OnNotifyIntercept,
    OnRequest,
)
from mcp.shared.transport_context import TransportContext
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, REQUEST_TIMEOUT, RequestId

from avow.client.errors import AnswerRefusedError, CallRefusedError, refusal, violation
from avow.client.guard import TOO_LATE, Guard
from avow.client.questions import Questions
from avow.client.wire import error_line, notification_line, read_line, request_line, result_line
from avow.core.contract import Contract
from avow.core.snapshot import Era
from avow.protocol.gate import Decision
from avow.protocol.gate.session import RESERVED_IDS
from avow.protocol.gate.stateless import VERSION_KEY

CONTRACT: Final = "avow/contract"
"""A request that never leaves: whoever sends it waits until the contract is known."""

# Of their answers the gate judges the envelope and no more.
_UNJUDGED: Final = frozenset({"tools/call", "prompts/get", "resources/read", "completion/complete"})
_CANCELLED: Final = "notifications/cancelled"
_PAUSE: Final = 0.1
"""A server that keeps changing its lists has them compared so many seconds apart."""


logger = logging.getLogger(__name__)


class _Ticket:
    """A request that the gate has not let pass yet: what becomes of it, once that is known."""

    __slots__ = ("answer", "decided", "line")

    def __init__(self) -> None:
        self.decided = anyio.Event()
        self.line = b""
        self.answer: bytes | None = None


class GuardedDispatcher(Dispatcher[TransportContext]):
    """A dispatcher that holds both sides to a contract."""

    def __init__(self, inner: Dispatcher[Any], guard: Guard) -> None:
        """Guard what goes through `inner`."""
        self.guard = guard
        self._inner = inner
        self._gate = guard.gate
        self._questions = Questions(inner, guard)
        self._ids = itertools.count(1)
        self._tickets: dict[RequestId, _Ticket] = {}
        self._tasks: anyio.abc.TaskGroup | None = None
        self._meta: dict[str, Any] | None = None
        self._is_over = False
        self.ended: MCPError | None = None
        """The refusal with which the gate ended the connection, if it did."""

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Send a request that the gate lets pass, and return the answer that it lets pass.

        Raises:
            ContractViolationError: it does not.
            MCPError: the server answered with an error, or not at all.
        """
        if method == CONTRACT:
            await self._establish(params)
            return {}
        if self._is_over:
            raise MCPError(CONNECTION_CLOSED, "Connection closed")
        self.guard.pass_time()
        given = opts.get("request_id") if opts else None
        # A subscription goes by its own id, since the server names it too.
        request_id = given if isinstance(given, str) else next(self._ids)
        is_call = method == "tools/call" and type(request_id) is int
        if not (is_call and self._gate.passes_call(request_id, params)):  # type: ignore[arg-type]
            params, own = await self._admitted(request_id, method, params, opts)
            if own is not None:
                return own
        try:
            raw = await self._inner.send_raw_request(method, params, opts)
        except MCPError as exc:
            self._judge_error(request_id, error_line(request_id, exc.code, exc.message, exc.data))
            raise
        except BaseException:
            self._give_up(request_id)
            raise
        if is_call and self._gate.passes_answer(request_id, raw):  # type: ignore[arg-type]
            return raw
        return await self._judged(request_id, method, raw)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Send a notification that the gate lets pass.

        A cancellation names an id of the wire, which the gate does not know.
        """
        if method == _CANCELLED:
            await self._inner.notify(method, params, opts)
            return
        line = notification_line(method, params)
        decision = self._gate.from_client(line)
        if line in decision.to_server:
            await self._inner.notify(method, params, opts)
        self._carry(decision, done=line)

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Drive the connection until it ends, or until the gate ends it."""
        try:
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                tasks.start_soon(self._watch_lists)
                await self._inner.run(
                    partial(self._requested, on_request),
                    on_notify,
                    partial(self._told, on_notify_intercept),
                    task_status=task_status,
                )
                tasks.cancel_scope.cancel()
        finally:
            self._tasks = None
            self._is_over = True
            self._carry(self._gate.server_gone("the connection has ended"))

    async def renew(self) -> Contract:
        """Ask the server again what makes a contract; the one that counts stays. Raises as `Questions`."""
        return await self._questions.renew(self._meta)

    def adopt(self, contract: Contract) -> None:
        """Hold the server to another contract from now on."""
        self._gate.adopt(contract)
        self._carry(Decision())

    async def _establish(self, params: Mapping[str, Any] | None) -> None:
        """Wait for the contract, and ask for what makes it where nobody has."""
        self._remember(params)
        if self._gate.contract is None:
            if self._gate.era is not Era.LEGACY:
                # After a handshake the gate asks by itself, and once.
                self._carry(self._gate.establish(self._meta))
            with anyio.move_on_after(self.guard.guarding.timeout) as scope:
                await self.guard.when_settled()
            if scope.cancelled_caught:
                self._carry(self._gate.abandon(TOO_LATE))
        if self._gate.contract is None:
            raise self.guard.failure()
        with anyio.move_on_after(self.guard.guarding.timeout):
            await self.guard.when_saved()

    async def _admitted(
        self,
        request_id: RequestId,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None,
    ) -> tuple[Mapping[str, Any] | None, dict[str, Any] | None]:
        """The params with which a request goes to the server, or the gate's own answer to it.

        Raises:
            ContractViolationError: it does not go.
        """
        self._remember(params)
        line = request_line(request_id, method, params)
        ticket = await self._decided(request_id, self._gate.from_client(line), opts)
        if ticket.answer is not None:
            message = read_line(ticket.answer)
            if "error" in message:
                raise refusal(message["error"], CallRefusedError)
            return None, message["result"]
        return (params if ticket.line == line else read_line(ticket.line)["params"]), None

    async def _decided(self, request_id: RequestId, decision: Decision, opts: CallOptions | None) -> _Ticket:
        """Wait until the gate has decided on a request; mostly it has."""
        ticket = self._tickets[request_id] = _Ticket()
        try:
            self._carry(decision)
            if not ticket.decided.is_set():
                with anyio.fail_after((opts or {}).get("timeout")):
                    await ticket.decided.wait()
        except TimeoutError:
            self._give_up(request_id)
            raise MCPError(REQUEST_TIMEOUT, TOO_LATE) from None
        except BaseException:
            self._give_up(request_id)
            raise
        finally:
            del self._tickets[request_id]
        return ticket

    def _give_up(self, request_id: RequestId) -> None:
        """Nobody waits for an answer any more.

        This is for the gate alone: the inner dispatcher has told the server, if that knew of the request.
        """
        line = notification_line(_CANCELLED, {"requestId": request_id})
        self._carry(self._gate.from_client(line))

    def _judge_error(self, request_id: RequestId, answer: bytes) -> None:
        """An error of the server's passes, unless the gate has another one to raise."""
        decision = self._gate.from_server(answer)
        self._carry(decision)
        for line in decision.to_client:
            if line != answer and (message := read_line(line)).get("id") == request_id:
                raise refusal(message["error"], AnswerRefusedError)

    async def _judged(self, request_id: RequestId, method: str, raw: dict[str, Any]) -> dict[str, Any]:
        """What the session gets for an answer."""
        if method in ("initialize", "server/discover"):
            await self.guard.presented(raw)
        answer = result_line(request_id, raw, exactly=method not in _UNJUDGED)
        decision = self._gate.from_server(answer)
        if decision == ((), (answer,), (), False):
            return raw
        return self._shown(request_id, raw, answer, decision)

    def _shown(
        self, request_id: RequestId, raw: dict[str, Any], answer: bytes, decision: Decision
    ) -> dict[str, Any]:
        """What the session gets for an answer that the gate had something to say about."""
        self._carry(decision)
        shown: dict[str, Any] | None = None
        for line in decision.to_client:
            message: dict[str, Any] = {"id": request_id, "result": raw} if line == answer else read_line(line)
            if message.get("id") != request_id:
                continue
            if "error" in message:
                refused = refusal(message["error"], AnswerRefusedError)
                self.ended = refused if decision.close else None
                raise refused
            shown = message["result"]
        if found := self.guard.violations(decision):
            raise violation(found)
        if shown is None:
            raise MCPError(CONNECTION_CLOSED, "the connection has ended")
        return shown

    async def _requested(
        self,
        on_request: OnRequest,
        context: DispatchContext[TransportContext],
        method: str,
        params: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        """A request of the server: the session answers it where the gate lets it pass."""
        request_id = context.request_id
        assert request_id is not None
        line = request_line(request_id, method, params)
        decision = self._gate.from_server(line)
        self._carry(decision)
        if line not in decision.to_client:
            _raise_error(decision.to_server)
            raise MCPError(INVALID_REQUEST, "avow: the request cannot be read, or comes too late")
        try:
            result = await on_request(context, method, params)
        except BaseException:
            # Whatever the server is told, the gate waits for no answer any more.
            self._gate.from_client(error_line(request_id, INTERNAL_ERROR, "", None))
            raise
        _raise_error(self._gate.from_client(result_line(request_id, result)).to_server)
        return result

    def _told(
        self, intercept: OnNotifyIntercept | None, method: str, params: Mapping[str, Any] | None
    ) -> bool:
        """A notification of the server, in the order of the wire; true keeps it from the session."""
        try:
            line = notification_line(method, params)
            decision = self._gate.from_server(line)
            self._carry(decision)
        except Exception:
            # Whoever calls this would let it pass.
            logger.exception("a notification could not be judged: it is dropped")
            return True
        self.guard.tell(method)
        if line not in decision.to_client:
            return True
        return intercept is not None and intercept(method, params)

    def _carry(self, decision: Decision, done: bytes = b"") -> None:
        """Do what a decision says about everything but the line that is `done`."""
        guard = self.guard
        guard.report(decision.events)
        for line in decision.to_server:
            if line != done:
                self._release(line)
        if self._tickets:
            for line in decision.to_client:
                ticket = self._tickets.get(read_line(line).get("id", ""))
                if ticket is not None and not ticket.decided.is_set():
                    ticket.answer = line
                    ticket.decided.set()
        if (signature := guard.unsaved()) is not None:
            self._start(guard.save, signature)
        guard.settle()
        if decision.close and self._tasks is not None:
            self._tasks.cancel_scope.cancel()

    def _release(self, line: bytes) -> None:
        """A line goes to the server: a question of the gate's own, or what was held until now."""
        message = read_line(line)
        request_id, method = message.get("id"), message.get("method")
        if method is None or method == _CANCELLED:
            return
        if request_id is None:
            self._start(self._inner.notify, method, message.get("params"))
        elif isinstance(request_id, str) and request_id.startswith(RESERVED_IDS):
            self._start(self._ask, line)
        elif (ticket := self._tickets.get(request_id)) is not None:
            ticket.line = line
            ticket.decided.set()

    async def _ask(self, line: bytes) -> None:
        self._carry(await self._questions.put(self._gate, line))

    async def _watch_lists(self) -> None:
        """Compare the lists that the server says have changed; not more often than makes sense."""
        while True:
            for kind in await self.guard.changed_kinds():
                await self.guard.when_settled()
                if self._meta is not None or self._gate.era is Era.LEGACY:
                    self._carry(self._gate.compare(kind, self._meta))
                    await self.guard.when_settled()
            await anyio.sleep(_PAUSE)

    def _remember(self, params: Mapping[str, Any] | None) -> None:
        """What the client's requests carry on 2026-07-28, which ours then carry too."""
        meta = params.get("_meta") if params is not None else None
        if isinstance(meta, dict) and VERSION_KEY in meta:
            self._meta = meta

    def _start(self, function: Callable[..., Coroutine[Any, Any, None]], *arguments: object) -> None:
        if self._tasks is not None:
            self._tasks.start_soon(function, *arguments)


def _raise_error(lines: tuple[bytes, ...]) -> None:
    """Raise the error that the gate answers a server with, if it does."""
    for line in lines:
        if (error := read_line(line).get("error")) is not None:
            raise MCPError(error["code"], error["message"], error.get("data"))
