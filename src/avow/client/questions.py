"""A gate's own questions to a server, and what came of them."""

import itertools
from typing import Any, Final

import anyio
from mcp import MCPError
from mcp.shared.dispatcher import CallOptions, Dispatcher
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from avow.client.guard import TOO_LATE, Guard
from avow.client.wire import error_line, read_line, result_line
from avow.core.contract import Contract, ContractSource
from avow.protocol.gate import Decision, Declaration, Gate
from avow.protocol.gate.stateless import VERSION_KEY

_BROKEN: Final = (OSError, RuntimeError, ValueError, anyio.ClosedResourceError, anyio.BrokenResourceError)


class Questions:
    """Puts questions to the server of one connection."""

    def __init__(self, inner: Dispatcher[Any], guard: Guard) -> None:
        """Ask through `inner`, as patiently as the guard is told to be."""
        self._inner = inner
        self._guard = guard
        self._ids = itertools.count(1)

    async def put(self, gate: Gate, line: bytes) -> Decision:
        """Put one question, and tell the gate what came of it."""
        message = read_line(line)
        request_id, method, params = message["id"], message["method"], message["params"]
        # No other request has such an id, whoever makes them up.
        options: CallOptions = {
            "request_id": f"avow-{next(self._ids)}",
            "timeout": self._guard.guarding.timeout,
        }
        if "_meta" in params:
            version = params["_meta"][VERSION_KEY]
            options["headers"] = {"mcp-protocol-version": version, "mcp-method": method}
        try:
            raw = await self._inner.send_raw_request(method, params, options)
        except MCPError as exc:
            if exc.code == REQUEST_TIMEOUT:
                return gate.abandon(TOO_LATE, request_id)
            if exc.code == CONNECTION_CLOSED:
                return gate.abandon("the connection has ended", request_id)
            return gate.from_server(error_line(request_id, exc.code, exc.message, exc.data))
        except _BROKEN as exc:
            return gate.abandon(f"the server cannot be asked ({type(exc).__name__})", request_id)
        if method == "server/discover":
            await self._guard.presented(raw)
        return gate.from_server(result_line(request_id, raw))

    async def renew(self, meta: dict[str, Any] | None) -> Contract:
        """Ask again for all that makes a contract; the one that counts stays.

        Raises:
            SignatureUnusableError: what the server declares now is none.
            SignatureTimeoutError: it does not say in time.
        """
        before = self._guard.gate.contract
        known = None
        if before is not None and before.source is ContractSource.DECLARED:
            known = Declaration(before.signature, before.open)
        gate = self._guard.gate.successor(known)
        decision = gate.establish(meta)
        self._guard.report(decision.events)
        waiting = list(decision.to_server)
        with anyio.move_on_after(self._guard.guarding.timeout) as scope:
            while waiting:
                decision = await self.put(gate, waiting.pop())
                self._guard.report(decision.events)
                waiting.extend(decision.to_server)
        if scope.cancelled_caught:
            self._guard.report(gate.abandon(TOO_LATE).events)
        if gate.contract is None:
            raise self._guard.failure()
        return gate.contract
