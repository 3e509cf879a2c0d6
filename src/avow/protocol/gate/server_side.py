"""What comes from the server: answers to the client, answers to the gate, requests and news."""

from avow.core.severity import Severity
from avow.protocol.events import event
from avow.protocol.gate.answers import Answers, malformed
from avow.protocol.gate.batches import read_part, rebuild
from avow.protocol.gate.client_side import ClientSide
from avow.protocol.gate.decision import Outbox, as_audit
from avow.protocol.gate.inquiry import Inquiry
from avow.protocol.gate.notifications import Notifications
from avow.protocol.gate.pending import Pending
from avow.protocol.gate.refusal import SERVER_GONE, Refusal, limit_reached
from avow.protocol.gate.server_requests import ServerRequests
from avow.protocol.gate.session import Session
from avow.protocol.messages import (
    Form,
    Message,
    TooDeepError,
    UnreadableMessageError,
    error_response,
    on_one_line,
    read,
    read_batch,
)
from avow.protocol.versions import BATCHING


class ServerSide:
    """Takes the lines of a server."""

    def __init__(
        self,
        session: Session,
        inquiry: Inquiry,
        server_requests: ServerRequests,
        answers: Answers,
        client: ClientSide,
    ) -> None:
        """Take the lines of one connection."""
        self._session = session
        self._inquiry = inquiry
        self._server_requests = server_requests
        self._answers = answers
        self._client = client
        self._notifications = Notifications(session)
        self._audit = session.policy.audit
        self._limit = session.policy.limits.message_bytes

    def take(self, line: bytes, out: Outbox) -> None:
        """A line came."""
        try:
            self._receive(read(line), out)
        except UnreadableMessageError as exc:
            self._unreadable(line, exc, out)

    def _receive(self, message: Message, out: Outbox) -> None:
        too_large = len(message.line) > self._limit
        if message.form is Form.RESPONSE:
            self._answered(message, out, too_large=too_large)
        elif message.form is Form.REQUEST:
            self._server_requests.judge(message, out, too_large=too_large)
        elif too_large:
            raise UnreadableMessageError(self._too_large)
        elif message.form is Form.NOTIFICATION:
            self._notifications.from_server(message, out)
        else:
            self._batch(message, out)

    def _batch(self, message: Message, out: Outbox) -> None:
        """Each message of the array on its own; one that cannot be read does not take the others along."""
        if self._session.version != BATCHING:
            raise UnreadableMessageError("several messages in one array are not part of this version")
        inner = Outbox()
        parts = read_batch(message.line)
        for part in parts:
            try:
                self._receive(read_part(part), inner)
            except UnreadableMessageError as exc:
                self._unreadable(part, exc, inner)
        out.to_client.extend(rebuild(message.line, parts, inner.to_client))
        out.to_server.extend(inner.to_server)
        out.events.extend(inner.events)
        out.close = out.close or inner.close

    def _answered(self, message: Message, out: Outbox, *, too_large: bool) -> None:
        request_id = message.id
        if self._inquiry.is_ours(request_id):
            findings = self._inquiry.answered(message)
            if findings is not None:
                self._client.apply(findings, out)
                return
        pending = self._session.pending.take(request_id) if request_id is not None else None
        if pending is not None:
            self._show(message, pending, out, too_large=too_large)
        elif request_id is None or not self._session.pending.was_given_up(request_id):
            detail = "nobody asked for it: dropped"
            out.events.append(event("answer_unexpected", Severity.CRITICAL, detail=detail))

    def _show(self, message: Message, pending: Pending, out: Outbox, *, too_large: bool) -> None:
        try:
            if too_large:
                raise limit_reached(self._too_large)
            shown = self._answers.judge(message, pending)
        except Refusal as refusal:
            self._withhold(message, refusal, out)
        else:
            out.to_client.append(shown.line)
            if shown.events:
                out.events.extend(map(as_audit, shown.events) if self._audit else shown.events)
        if pending.method == "initialize":
            self._client.drain(out)

    def _withhold(self, message: Message, refusal: Refusal, out: Outbox) -> None:
        """The client gets an error instead of an answer; in an audit, the answer."""
        if self._audit:
            out.events.append(as_audit(refusal.event))
            out.to_client.append(message.line)
        else:
            self._client.tell(message, refusal, out)

    def _unreadable(self, line: bytes, exc: UnreadableMessageError, out: Outbox) -> None:
        """What cannot be read is dropped; a request that it may have answered gets an error.

        Where nobody can tell which request that is, one of them would wait for ever: the session ends.
        """
        happened = event("message_unreadable", Severity.MODERATE, detail=f"from the server: {exc.message}")
        out.events.append(as_audit(happened) if self._audit else happened)
        if self._inquiry.is_ours(exc.id):
            self._client.apply(self._inquiry.abandon(exc.message, exc.id), out)
            return
        pending = self._session.pending.take(exc.id) if exc.id is not None else None
        if self._audit:
            out.to_client.append(on_one_line(line))
        elif pending is not None:
            answer = Message(Form.RESPONSE, line, exc.id)
            self._client.tell(answer, malformed(pending.method, exc.message), out)
        elif isinstance(exc, TooDeepError) and exc.id is None:
            self._give_up(exc.message, out)
        if pending is not None and pending.method == "initialize":
            self._session.initializing = False
            self._client.drain(out)

    def _give_up(self, detail: str, out: Outbox) -> None:
        for request_id in (*self._session.pending.drain(), *self._client.held_ids()):
            out.to_client.append(error_response(request_id, SERVER_GONE, f"avow: {detail}"))
        self._client.end(out)

    @property
    def _too_large(self) -> str:
        return f"the message is larger than {self._limit} bytes"
