"""The gate: fed with raw messages from both sides, it says what goes where, with no I/O of its own."""

from collections.abc import Sequence

from avow.core.contract import Contract
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.events import event
from avow.protocol.gate.answers import Answers, malformed
from avow.protocol.gate.calls import Wait
from avow.protocol.gate.decision import Decision, Outbox, as_audit
from avow.protocol.gate.held import Held
from avow.protocol.gate.inquiry import Findings, Inquiry
from avow.protocol.gate.knowledge import Knowledge
from avow.protocol.gate.notifications import Notifications
from avow.protocol.gate.policy import GatePolicy
from avow.protocol.gate.refusal import SERVER_GONE, Reason, Refusal, invalid_request, limit_reached, outside
from avow.protocol.gate.requests import Requests, WaitForHandshake
from avow.protocol.gate.server_requests import ServerRequests
from avow.protocol.gate.session import Phase, Session
from avow.protocol.gate.stateless import HeaderFacts
from avow.protocol.messages import (
    Form,
    Message,
    UnreadableMessageError,
    error_response,
    read,
    read_batch,
)
from avow.protocol.versions import BATCHING

_LINE_BREAKS = bytes.maketrans(b"\r\n", b"  ")


class Gate:
    """Holds one connection to a contract: a handshake-era session, or a stateless connection.

    Every line that comes from a peer goes through `from_client` or `from_server`, and everything that the
    decision lists is delivered, in order. A gate keeps no time: whoever does may call `abandon` when a
    question of the gate's own has been open too long.
    """

    def __init__(
        self,
        contract: Contract | None,
        policy: GatePolicy,
        server_name: str,
        *,
        knowledge: Knowledge | None = None,
    ) -> None:
        """Without a contract, one is established as `policy.source` says.

        Gates for single requests to one stateless server may share `knowledge`; its contract then counts.
        """
        self._knowledge = Knowledge(contract) if knowledge is None else knowledge
        self._session = Session(policy, self._knowledge, server_name)
        self._requests = Requests(self._session)
        self._notifications = Notifications(self._session)
        self._server_requests = ServerRequests(self._session)
        self._answers = Answers(self._session)
        self._inquiry = Inquiry(self._session, self._answers)
        self._held = Held(policy.limits)
        self._audit = policy.audit
        self._established = False
        self._limit = policy.limits.message_bytes
        self._too_large = f"the message is larger than {self._limit} bytes"

    @property
    def phase(self) -> Phase:
        """How far the handshake has come."""
        return self._session.phase

    @property
    def era(self) -> Era | None:
        """The era of the connection, once the server has answered in one."""
        return self._session.era

    @property
    def contract(self) -> Contract | None:
        """What the connection is held to, once that is known."""
        return self._session.contract

    @property
    def is_asking(self) -> bool:
        """Whether the gate waits for an answer to a question of its own, with messages held meanwhile."""
        return self._inquiry.is_open

    @property
    def is_holding(self) -> bool:
        """Whether messages of the client wait in here for something that the server has to say first."""
        return bool(self._held)

    @property
    def pending(self) -> int:
        """How many requests of the client wait for their answer."""
        return len(self._session.pending)

    def from_client(self, line: bytes, headers: HeaderFacts | None = None) -> Decision:
        """A message arrived from the client; `headers` are the HTTP headers it came with, if any."""
        out = Outbox()
        line = _on_one_line(line)
        try:
            message = self._read(line)
        except UnreadableMessageError as exc:
            self._unreadable_from_client(exc, out)
        else:
            if message is not None:
                self._take(message, headers, out)
        return out.decision()

    def from_server(self, line: bytes) -> Decision:
        """A message arrived from the server."""
        out = Outbox()
        line = _on_one_line(line)
        try:
            message = self._read(line)
            if message is not None and self._session.phase is not Phase.TERMINATED:
                self._receive(message, out)
        except UnreadableMessageError as exc:
            self._unreadable_from_server(line, exc, out)
        return out.decision()

    def server_gone(self, reason: str) -> Decision:
        """The server's side has ended: whoever waits is told, and the session is over."""
        out = Outbox()
        out.events.append(event("server_gone", Severity.MODERATE, detail=reason))
        waiting = [*self._session.pending.drain(), *self._held.request_ids()]
        for request_id in waiting:
            out.to_client.append(
                error_response(request_id, SERVER_GONE, f"avow: the server is gone ({reason})")
            )
        self._end(out)
        return out.decision()

    def expire(self) -> None:
        """What was seen of the server is too old: its lists are compared again before the next call.

        A server of 2026-07-28 tells nobody about a changed list who has not subscribed; whoever has a clock
        calls this when the `ttlMs` of its lists has passed, or now and then.
        """
        self._knowledge.expire()

    def abandon(self, reason: str) -> Decision:
        """The gate's own questions were not answered in time: what was held for them is refused."""
        out = Outbox()
        if self._inquiry.is_open:
            self._apply(self._inquiry.abandon(reason), out)
        return out.decision()

    def _read(self, line: bytes) -> Message | None:
        return read(line) if line else None

    def _take(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> None:
        """A readable message from the client: answers pass at once, the rest in order."""
        if message.form is Form.RESPONSE:
            self._server_requests.answered(message, out, too_large=len(message.line) > self._limit)
        elif len(message.line) > self._limit:
            self._tell(message, limit_reached(self._too_large), out)
        elif self._held:
            self._hold(message, headers, out)
        else:
            try:
                self._pass(message, headers, out)
            except Wait as wait:
                if self._hold(message, headers, out):
                    self._wait(wait, out)
            self._establish(out)

    def _pass(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> None:
        """Let one message through, or refuse it.

        Raises:
            Wait: it has to be held; nothing has happened yet.
        """
        try:
            match message.form:
                case Form.REQUEST:
                    self._admit(message, headers, out)
                case Form.NOTIFICATION:
                    self._notifications.judge(message, out)
                case _:
                    self._batch(message, out)
        except Refusal as refusal:
            self._refuse(message, refusal, out)
        except UnreadableMessageError as exc:
            self._unreadable_from_client(exc, out)

    def _admit(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> None:
        admission = self._requests.judge(message, headers)
        if admission.events:
            out.events.extend(map(as_audit, admission.events) if self._audit else admission.events)
        if admission.answer is not None:
            out.to_client.append(admission.answer)
            return
        assert message.id is not None
        self._session.pending.add(message.id, admission.pending)
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
            return
        self._tell(message, refusal, out)

    def _tell(self, message: Message, refusal: Refusal, out: Outbox) -> None:
        """Log a refusal, and answer whoever waits for an answer."""
        out.events.append(refusal.event)
        if message.form is not Form.NOTIFICATION:
            out.to_client.append(error_response(message.id, refusal.code, refusal.message, refusal.data))
        if refusal.close:
            self._end(out)

    def _batch(self, message: Message, out: Outbox) -> None:
        """Several messages in one array: each is judged, and the array rebuilt when one does not pass."""
        session = self._session
        if session.version != BATCHING or session.phase is not Phase.ACTIVE:
            raise invalid_request("several messages in one array are not part of this protocol version")
        parts = [_read_part(element) for element in read_batch(message.line)]
        for part in parts:
            if part.form is Form.REQUEST:
                self._requests.probe(part)
        inner = Outbox()
        for part in parts:
            if part.form is Form.RESPONSE:
                self._server_requests.answered(part, inner)
            else:
                self._pass(part, None, inner)
        _rebuild(message.line, [part.line for part in parts], inner.to_server, out.to_server)
        out.to_client.extend(inner.to_client)
        out.events.extend(inner.events)

    def _receive(self, message: Message, out: Outbox) -> None:
        if len(message.line) > self._limit and message.form in (Form.NOTIFICATION, Form.BATCH):
            raise UnreadableMessageError(self._too_large)
        match message.form:
            case Form.RESPONSE:
                self._answered(message, out)
            case Form.REQUEST:
                self._server_requests.judge(message, out, too_large=len(message.line) > self._limit)
            case Form.NOTIFICATION:
                self._notifications.from_server(message, out)
            case Form.BATCH:
                self._receive_batch(message, out)

    def _receive_batch(self, message: Message, out: Outbox) -> None:
        """Each message of the array on its own; one that cannot be read does not take the others along."""
        if self._session.version != BATCHING:
            raise UnreadableMessageError("several messages in one array are not part of this version")
        inner = Outbox()
        elements = read_batch(message.line)
        for element in elements:
            try:
                self._receive(_read_part(element), inner)
            except UnreadableMessageError as exc:
                self._unreadable_from_server(element, exc, inner)
        _rebuild(message.line, elements, inner.to_client, out.to_client)
        out.to_server.extend(inner.to_server)
        out.events.extend(inner.events)
        out.close = out.close or inner.close

    def _answered(self, message: Message, out: Outbox) -> None:
        request_id = message.id
        if self._inquiry.is_ours(request_id):
            findings = self._inquiry.answered(message)
            if findings is not None:
                self._apply(findings, out)
                return
        pending = self._session.pending.take(request_id) if request_id is not None else None
        if pending is None:
            if request_id is None or not self._session.pending.was_given_up(request_id):
                out.events.append(
                    event("answer_unexpected", Severity.CRITICAL, detail="nobody asked for it: dropped")
                )
            return
        try:
            if len(message.line) > self._limit:
                raise limit_reached(self._too_large)
            shown = self._answers.judge(message, pending)
        except Refusal as refusal:
            self._withhold(message, refusal, out)
        else:
            out.events.extend(map(as_audit, shown.events) if self._audit else shown.events)
            out.to_client.append(shown.line)
        if pending.method == "initialize":
            self._drain(frozenset(), out)

    def _withhold(self, message: Message, refusal: Refusal, out: Outbox) -> None:
        """The client gets an error instead of an answer; in an audit, the answer."""
        if self._audit:
            out.events.append(as_audit(refusal.event))
            out.to_client.append(message.line)
            return
        self._tell(message, refusal, out)

    def _unreadable_from_client(self, exc: UnreadableMessageError, out: Outbox) -> None:
        out.events.append(
            event("message_unreadable", Severity.MODERATE, detail=f"from the client: {exc.message}")
        )
        out.to_client.append(error_response(exc.id, exc.code, f"avow: {exc.message}"))

    def _unreadable_from_server(self, line: bytes, exc: UnreadableMessageError, out: Outbox) -> None:
        """What cannot be read is dropped; a request that it may have answered gets an error."""
        happened = event("message_unreadable", Severity.MODERATE, detail=f"from the server: {exc.message}")
        if exc.id is not None and self._inquiry.is_ours(exc.id):
            self._apply(self._inquiry.abandon(exc.message, exc.id), out)
        elif self._audit:
            happened = as_audit(happened)
            out.to_client.append(line)
        elif exc.id is not None and (pending := self._session.pending.take(exc.id)) is not None:
            refusal = malformed(pending.method, exc.message)
            out.to_client.append(error_response(exc.id, refusal.code, refusal.message, refusal.data))
            if pending.method == "initialize":
                self._session.initializing = False
                self._drain(frozenset(), out)
        out.events.append(happened)

    def _hold(self, message: Message, headers: HeaderFacts | None, out: Outbox) -> bool:
        if self._held.add(message, headers):
            return True
        too_many = "too many messages wait until the server's lists have been compared"
        self._tell(message, limit_reached(too_many), out)
        return False

    def _wait(self, wait: Wait, out: Outbox) -> None:
        """Begin to find out what is missing, unless a question is open: its answer leads back here."""
        if not isinstance(wait, WaitForHandshake) and not self._inquiry.is_open:
            self._apply(self._inquiry.begin(wait.kind, wait.claims), out)

    def _establish(self, out: Outbox) -> None:
        """Ask for what makes the contract as soon as a session is active, before anybody needs it."""
        session = self._session
        if session.phase is Phase.ACTIVE and session.contract is None and not self._established:
            self._established = True
            self._apply(self._inquiry.begin(None, session.claims), out)

    def _apply(self, findings: Findings, out: Outbox) -> None:
        out.to_server.extend(findings.requests)
        out.events.extend(findings.events)
        if findings.reject:
            refusal = outside(Reason.NO_SIGNATURE, "server", self._session.server_name)
            for request_id in self._held.request_ids():
                out.to_client.append(error_response(request_id, refusal.code, refusal.message, refusal.data))
            out.events.append(
                event("contract_rejected", Severity.CRITICAL, kind="server", detail="no signature")
            )
            self._end(out)
        elif not self._inquiry.is_open:
            self._drain(frozenset(findings.failed), out)

    def _drain(self, failed: frozenset[object], out: Outbox) -> None:
        """Judge what was held, in order, until something has to wait again."""
        while self._held and not self._inquiry.is_open:
            message, headers = self._held.first()
            try:
                self._pass(message, headers, out)
            except WaitForHandshake:
                return
            except Wait as wait:
                if wait.kind not in failed:
                    self._wait(wait, out)
                    return
                self._refuse(message, outside(Reason.UNVERIFIED, wait.kind or "server", message.method), out)
            self._held.remove_first()
            self._establish(out)

    def _end(self, out: Outbox) -> None:
        self._session.phase = Phase.TERMINATED
        self._held.clear()
        out.close = True


def _on_one_line(line: bytes) -> bytes:
    """The message without white space around it, and without line breaks in it.

    JSON has line breaks between tokens only. A peer that reads lines, some at a lone carriage return too,
    would see several messages where the gate has judged one.
    """
    line = line.strip(b" \t\r\n")
    if b"\r" in line or b"\n" in line:
        return line.translate(_LINE_BREAKS)
    return line


def _read_part(element: bytes) -> Message:
    part = read(element)
    if part.form is Form.BATCH:
        raise UnreadableMessageError("a batch inside a batch")
    return part


def _rebuild(whole: bytes, parts: Sequence[bytes], passed: list[bytes], into: list[bytes]) -> None:
    """Forward a batch as it came when all of it passes, or what is left of it."""
    if passed == list(parts):
        into.append(whole)
    elif passed:
        into.append(b"[" + b",".join(passed) + b"]")
