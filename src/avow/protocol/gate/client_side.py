"""What comes from the client: judged in order, and held while something has to be known first."""

from collections.abc import Iterator

from avow.core.severity import Severity
from avow.protocol.events import event
from avow.protocol.gate.batches import read_part, rebuild
from avow.protocol.gate.calls import Wait
from avow.protocol.gate.decision import Outbox, as_audit
from avow.protocol.gate.held import Held, ids_in_batch
from avow.protocol.gate.inquiry import Findings, Inquiry
from avow.protocol.gate.notifications import Notifications
from avow.protocol.gate.quick import Quick
from avow.protocol.gate.refusal import Reason, Refusal, invalid_request, limit_reached, outside
from avow.protocol.gate.requests import Requests, WaitForHandshake
from avow.protocol.gate.server_requests import ServerRequests
from avow.protocol.gate.session import Phase, Session
from avow.protocol.gate.stateless import HeaderFacts
from avow.protocol.messages import (
    Form,
    Message,
    RequestId,
    UnreadableMessageError,
    error_response,
    read,
    read_batch,
)
from avow.protocol.versions import BATCHING


class ClientSide:
    """Takes the lines of a client."""

    def __init__(self, session: Session, inquiry: Inquiry, server_requests: ServerRequests) -> None:
        """Take the lines of one connection."""
        self._session = session
        self._inquiry = inquiry
        self._server_requests = server_requests
        self._requests = Requests(session)
        self._notifications = Notifications(session)
        self._held = Held(session.policy.limits)
        self.quick = Quick(session, self._held)
        self._audit = session.policy.audit
        self._limit = session.policy.limits.message_bytes
        self._established = False
        # What could not be found out for the message that has waited longest.
        self._unknown: set[object] = set()

    @property
    def holds(self) -> int:
        """How many messages wait."""
        return len(self._held)

    def held_ids(self) -> Iterator[RequestId]:
        """The ids of the requests that wait."""
        return self._held.request_ids()

    def take(self, line: bytes, headers: HeaderFacts | None, out: Outbox) -> None:
        """A line came: answers pass at once, the rest in order."""
        try:
            message = read(line)
        except UnreadableMessageError as exc:
            self._unreadable(exc, out)
            return
        if message.form is Form.RESPONSE:
            self._server_requests.answered(message, out, too_large=len(line) > self._limit)
        elif len(line) > self._limit:
            self.tell(message, limit_reached(f"the message is larger than {self._limit} bytes"), out)
        elif self._held:
            self._hold(message, headers, out)
        else:
            try:
                self._pass(message, headers, out)
            except Wait as wait:
                if self._hold(message, headers, out):
                    self._wait(wait, out)
            self._establish(out)

    def apply(self, findings: Findings, out: Outbox) -> None:
        """Go on with what an answer to a question of the gate's own led to."""
        out.to_server.extend(findings.requests)
        out.events.extend(findings.events)
        if findings.reject:
            refusal = outside(Reason.NO_SIGNATURE, "server", self._session.server_name)
            for request_id in self._held.request_ids():
                out.to_client.append(error_response(request_id, refusal.code, refusal.message, refusal.data))
            happened = event("contract_rejected", Severity.CRITICAL, kind="server", detail="no signature")
            out.events.append(happened)
            self.end(out)
        elif not self._inquiry.is_open:
            self.drain(out, frozenset(findings.failed))

    def drain(self, out: Outbox, failed: frozenset[object] = frozenset()) -> None:
        """Judge what was held, in order, until something has to wait again.

        What needs one of `failed`, which could not be found out, is refused.
        """
        self._unknown |= failed
        while self._held and not self._inquiry.is_open:
            message, headers = self._held.first()
            try:
                self._pass(message, headers, out)
            except WaitForHandshake:
                return
            except Wait as wait:
                if wait.kind not in self._unknown:
                    self._wait(wait, out)
                    return
                self._refuse(message, _unverified(wait, message), out)
            self._held.remove_first()
            self._unknown = set(failed)
            self._establish(out)
        self._unknown.clear()

    def tell(self, message: Message, refusal: Refusal, out: Outbox) -> None:
        """Log a refusal, and answer whoever waits for an answer."""
        out.events.append(refusal.event)
        if message.form is Form.BATCH:
            for request_id in tuple(ids_in_batch(message)) or (None,):
                out.to_client.append(error_response(request_id, refusal.code, refusal.message, refusal.data))
        elif message.form is not Form.NOTIFICATION:
            out.to_client.append(error_response(message.id, refusal.code, refusal.message, refusal.data))
        if refusal.close:
            self.end(out)

    def end(self, out: Outbox) -> None:
        """The session is over."""
        self._session.phase = Phase.TERMINATED
        self._held.clear()
        self._inquiry.close()
        out.close = True

    def _pass(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> None:
        """Let one message through, or refuse it.

        Raises:
            Wait: it has to be held; nothing has happened yet.
        """
        try:
            if message.form is Form.REQUEST:
                self._admit(message, headers, out)
            elif message.form is Form.NOTIFICATION:
                self._notifications.judge(message, out)
            else:
                self._batch(message, out)
        except Refusal as refusal:
            self._refuse(message, refusal, out)
        except UnreadableMessageError as exc:
            self._unreadable(exc, out)

    def _admit(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> None:
        admission = self._requests.judge(message, headers)
        if admission.events:
            out.events.extend(map(as_audit, admission.events) if self._audit else admission.events)
        if admission.answer is not None:
            out.to_client.append(admission.answer)
            return
        assert message.id is not None
        self._session.pending.add(message.id, admission.pending)
        self.quick.admitted(admission.pending)
        if admission.pending.method == "initialize":
            self._session.initializing = True
        out.to_server.append(admission.line)

    def _refuse(self, message: Message, refusal: Refusal, out: Outbox) -> None:
        """Answer a refused request; in an audit, let it through unless the gate could not follow it."""
        if self._audit and message.form is Form.REQUEST and self._requests.can_follow(message):
            out.events.append(as_audit(refusal.event))
            assert message.id is not None
            self._session.pending.add(message.id, self._requests.unjudged(message))
            out.to_server.append(message.line)
        else:
            self.tell(message, refusal, out)

    def _batch(self, message: Message, out: Outbox) -> None:
        """Several messages in one array: each is judged, and the array rebuilt when one does not pass."""
        if self._session.version != BATCHING or self._session.phase is not Phase.ACTIVE:
            raise invalid_request("several messages in one array are not part of this protocol version")
        elements = read_batch(message.line)
        inner = Outbox()
        parts = [part for element in elements if (part := self._part(element, inner)) is not None]
        waiting = {position: wait for position, part in enumerate(parts) if (wait := self._wait_of(part))}
        for position, part in enumerate(parts):
            if position in waiting:
                self._refuse(part, _unverified(waiting[position], part), inner)
            elif part.form is Form.RESPONSE:
                self._server_requests.answered(part, inner)
            else:
                self._pass(part, None, inner)
        out.to_server.extend(rebuild(message.line, elements, inner.to_server))
        out.to_client.extend(inner.to_client)
        out.events.extend(inner.events)

    def _part(self, element: bytes, out: Outbox) -> Message | None:
        """One message of an array; one that cannot be read does not take the others along."""
        try:
            return read_part(element)
        except UnreadableMessageError as exc:
            self._unreadable(exc, out)
            return None

    def _wait_of(self, part: Message) -> Wait | None:
        """Why one message of an array cannot be judged, where that will not change.

        Raises:
            Wait: it cannot be judged yet, and so the whole array has to wait.
        """
        if part.form is not Form.REQUEST:
            return None
        try:
            self._requests.probe(part)
        except Wait as wait:
            if wait.kind not in self._unknown:
                raise
            return wait
        return None

    def _unreadable(self, exc: UnreadableMessageError, out: Outbox) -> None:
        detail = f"from the client: {exc.message}"
        out.events.append(event("message_unreadable", Severity.MODERATE, detail=detail))
        out.to_client.append(error_response(exc.id, exc.code, f"avow: {exc.message}"))

    def _hold(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> bool:
        if self._held.add(message, headers):
            return True
        too_many = "too many messages wait until the server's lists have been compared"
        self.tell(message, limit_reached(too_many), out)
        return False

    def _wait(self, wait: Wait, out: Outbox) -> None:
        """Begin to find out what is missing, unless a question is open: its answer leads back here."""
        if not isinstance(wait, WaitForHandshake) and not self._inquiry.is_open:
            self.apply(self._inquiry.begin(wait.kind, wait.claims), out)

    def _establish(self, out: Outbox) -> None:
        """Ask for what makes the contract as soon as a session is active, before anybody needs it."""
        session = self._session
        if session.contract is None and session.phase is Phase.ACTIVE and not self._established:
            self._established = True
            self.apply(self._inquiry.begin(None, session.claims), out)


def _unverified(wait: Wait, message: Message) -> Refusal:
    return outside(Reason.UNVERIFIED, wait.kind or "server", message.method)
