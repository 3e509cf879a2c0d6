"""Requests in the other direction: what a server may ask of the client, and the client's answers."""

from typing import TYPE_CHECKING

from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import MalformedInputError
from avow.protocol.events import Event, event
from avow.protocol.gate.client_capabilities import missing_capability
from avow.protocol.gate.decision import Outbox, as_audit
from avow.protocol.gate.refusal import LIMIT_REACHED
from avow.protocol.gate.session import Phase, Session
from avow.protocol.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Message,
    error_response,
    strict,
)

if TYPE_CHECKING:
    from avow.core.canonical import JsonValue


class ServerRequests:
    """Judges the requests of a server; ids of the two directions have nothing to do with each other."""

    def __init__(self, session: Session) -> None:
        """Judge for one connection."""
        self._session = session

    def judge(self, message: Message, out: Outbox, *, too_large: bool = False) -> None:
        """Pass a request to the client, or answer the server with an error."""
        waiting = self._session.server_pending
        assert message.id is not None
        if message.id in waiting:
            self._refuse(
                message, INVALID_REQUEST, "id_reused", "the id belongs to another request", out, final=True
            )
        elif waiting.is_full or too_large:
            detail = "it is too large, or too many requests wait for the client's answer"
            self._refuse(message, LIMIT_REACHED, "limit_reached", detail, out, final=True)
        elif (objection := self._objection(message)) is not None:
            self._refuse(message, *objection, out)
        else:
            self._forward(message, out)

    def answered(self, message: Message, out: Outbox, *, too_large: bool = False) -> None:
        """An answer of the client: to a request of the server, once."""
        if message.id is not None and self._session.server_pending.take(message.id) is not None:
            if too_large:
                detail = "the client's answer is too large"
                out.events.append(event("limit_reached", Severity.MODERATE, detail=detail))
                out.to_server.append(error_response(message.id, LIMIT_REACHED, f"avow: {detail}"))
            else:
                out.to_server.append(message.line)
        elif message.id is None or not self._session.server_pending.was_given_up(message.id):
            detail = "from the client, to nothing that the server asked: dropped"
            out.events.append(event("answer_unexpected", Severity.MODERATE, detail=detail))

    def _objection(self, message: Message) -> tuple[int, str, str] | None:
        session = self._session
        if session.era is Era.MODERN:
            return (
                METHOD_NOT_FOUND,
                "server_request_refused",
                "this protocol version has no requests of servers",
            )
        if message.method == "ping":
            return None
        if session.phase is not Phase.ACTIVE:
            return INVALID_REQUEST, "phase_violation", f"the session is {session.phase}, not active"
        try:
            params: JsonValue = strict(message.body)
            missing = missing_capability(message.method, params, session.claims.capabilities)
        except MalformedInputError:
            return INVALID_PARAMS, "message_refused", "two readers could understand the params differently"
        if missing is not None:
            return METHOD_NOT_FOUND, "client_capability_missing", "the client did not declare it"
        return None

    def _refuse(
        self, message: Message, code: int, what: str, detail: str, out: Outbox, *, final: bool = False
    ) -> None:
        happened: Event = event(what, Severity.MODERATE, name=message.method, detail=detail)
        if self._session.policy.audit and not final:
            out.events.append(as_audit(happened))
            self._forward(message, out)
            return
        out.events.append(happened)
        out.to_server.append(error_response(message.id, code, f"avow: {detail}"))

    def _forward(self, message: Message, out: Outbox) -> None:
        assert message.id is not None
        self._session.server_pending.add(message.id, message.method)
        out.to_client.append(message.line)
