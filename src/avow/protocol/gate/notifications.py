"""Messages that nobody answers: handshake steps, cancellations, and news about lists."""

from typing import Final

from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import MalformedInputError
from avow.protocol.events import event
from avow.protocol.gate.decision import Outbox, as_audit
from avow.protocol.gate.requests import WaitForHandshake, needs_id
from avow.protocol.gate.session import RESERVED_IDS, Phase, Session
from avow.protocol.messages import Message, RequestId, refuse_variants, strict

_CANCELLED: Final = "notifications/cancelled"
_REQUEST_ID: Final = frozenset({"requestId"})
_INITIALIZED: Final = "notifications/initialized"
_LIST_CHANGED: Final = {
    "notifications/tools/list_changed": (Kind.TOOL,),
    "notifications/prompts/list_changed": (Kind.PROMPT,),
    "notifications/resources/list_changed": (Kind.RESOURCE, Kind.TEMPLATE),
}


class Notifications:
    """Judges notifications in both directions; what may not pass is dropped and logged."""

    def __init__(self, session: Session) -> None:
        """Judge for one connection."""
        self._session = session

    def judge(self, message: Message, out: Outbox) -> None:
        """A notification of the client.

        Raises:
            Wait: the handshake is still under way.
        """
        session = self._session
        if session.phase is Phase.TERMINATED:
            self._drop(message, "phase_violation", "the session has ended", out)
        elif session.initializing:
            raise WaitForHandshake(None)
        elif needs_id(message.method):
            self._drop(message, "message_dropped", "a request without an id", out, final=True)
        elif message.method == _INITIALIZED:
            self._initialized(message, out)
        elif message.method == _CANCELLED:
            self._cancelled(message, out)
        elif session.era is None or (session.era is Era.LEGACY and session.phase is not Phase.ACTIVE):
            self._drop(message, "phase_violation", f"the session is {session.phase}, not active", out)
        else:
            out.to_server.append(message.line)

    def from_server(self, message: Message, out: Outbox) -> None:
        """A notification of the server."""
        for kind in _LIST_CHANGED.get(message.method, ()):
            self._session.knowledge.list_changed(kind)
        if message.method == _CANCELLED:
            try:
                self._cancelled_by_server(_request_id(message))
            except MalformedInputError:
                detail = "from the server: two readers could understand it differently"
                happened = event("message_dropped", Severity.MODERATE, name=message.method, detail=detail)
                out.events.append(happened)
                return
        out.to_client.append(message.line)

    def _cancelled_by_server(self, request_id: RequestId | None) -> None:
        """A server may end a subscription of the client's this way, and else only requests of its own."""
        if request_id is None:
            return
        waiting = self._session.pending.get(request_id)
        if waiting is not None and waiting.method == "subscriptions/listen":
            self._session.pending.give_up(request_id)
        else:
            self._session.server_pending.give_up(request_id)

    def _initialized(self, message: Message, out: Outbox) -> None:
        session = self._session
        if session.era is Era.LEGACY and session.phase is Phase.INIT_SENT:
            session.phase = Phase.ACTIVE
            out.events.append(event("session_active", Severity.INFO, name=session.version))
            out.to_server.append(message.line)
        else:
            self._drop(message, "unexpected_initialized", f"the session is {session.phase}", out)

    def _cancelled(self, message: Message, out: Outbox) -> None:
        try:
            request_id = _request_id(message)
        except MalformedInputError:
            detail = "two readers could understand it differently"
            self._drop(message, "message_dropped", detail, out, final=True)
            return
        if isinstance(request_id, str) and request_id.startswith(RESERVED_IDS):
            self._drop(
                message, "message_dropped", "it would cancel a question of the gate's own", out, final=True
            )
            return
        if request_id is not None:
            self._session.pending.give_up(request_id)
        out.to_server.append(message.line)

    def _drop(self, message: Message, what: str, detail: str, out: Outbox, *, final: bool = False) -> None:
        happened = event(what, Severity.MODERATE, name=message.method, detail=detail)
        if self._session.policy.audit and not final:
            out.events.append(as_audit(happened))
            out.to_server.append(message.line)
        else:
            out.events.append(happened)


def _request_id(message: Message) -> RequestId | None:
    """What a cancellation is about.

    Raises:
        MalformedInputError: two readers could understand that differently.
    """
    params = strict(message.body)
    if not isinstance(params, dict):
        return None
    refuse_variants(params, _REQUEST_ID)
    request_id = params.get("requestId")
    return request_id if type(request_id) in (int, str) else None
