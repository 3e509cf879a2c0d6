"""Client capabilities: a server asks a client for nothing that the client did not declare."""

from collections.abc import Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from mcp.shared.exceptions import MCPError

from avow.core.canonical import JsonObject
from avow.core.snapshot import Era
from avow.errors import MalformedInputError
from avow.protocol.gate.answers import undeclared
from avow.protocol.gate.client_capabilities import missing_capability
from avow.protocol.gate.refusal import Refusal, invalid_params, invalid_request
from avow.protocol.gate.session import Phase
from avow.server.guard.sessions import Session, session_of
from avow.server.guard.trail import Trail
from avow.server.seam import Part, Request, check_outgoing

_refusals: Final[ContextVar[list[MCPError]]] = ContextVar("avow_refused_asks")
"""What was kept back while the request that is being answered here was served."""


class Asking(Part):
    """Stands on the channels by which the SDK sends requests, and reads results that ask for input."""

    def __init__(self, trail: Trail) -> None:
        """Write refusals to `trail`."""
        self._trail = trail

    async def before(self, request: Request) -> None:
        """From here on, what the server sends to this client is checked."""
        _refusals.set([])
        check_outgoing(request, partial(self._check, session_of(request)))

    async def after(self, request: Request, result: JsonObject) -> None:
        """On 2026-07-28 a server asks with its result.

        A framework may have made a failed tool of a refusal; the client gets the protocol's own error.
        """
        asked = result.get("inputRequests")
        if isinstance(asked, dict):
            session = session_of(request)
            for entry in asked.values():
                inner = entry if isinstance(entry, dict) else {}
                self._check(session, str(inner.get("method")), inner.get("params"))
        elif result.get("isError") is True and _refusals.get([]):
            raise _refusals.get()[-1]

    def _check(self, session: Session, method: str, params: Mapping[str, Any] | None) -> None:
        try:
            self._judge(session, method, params)
        except MCPError as refused:
            _refusals.get([]).append(refused)
            raise

    def _judge(self, session: Session, method: str, params: Mapping[str, Any] | None) -> None:
        if method == "ping":
            return
        try:
            if session.phase is not Phase.ACTIVE:
                message = f"the session is {session.phase}, not active"
                raise invalid_request(message, what="phase_violation", name=method)
            missing = missing_capability(
                method, dict(params) if params is not None else None, session.client_capabilities
            )
            if missing is not None:
                raise undeclared(method, missing, modern=session.era is Era.MODERN)
        except MalformedInputError as exc:
            raise self._trail.refuse(invalid_params(exc.message), session, method=method) from None
        except Refusal as refusal:
            raise self._trail.refuse(refusal, session, method=method) from None
