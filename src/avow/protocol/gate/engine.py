"""The gate: fed with raw messages from both sides, it says what goes where, with no I/O of its own."""

from collections.abc import Iterable, Mapping, Sequence

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Kind
from avow.core.contract import Contract
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.events import event
from avow.protocol.gate.answers import Answers
from avow.protocol.gate.client_side import ClientSide
from avow.protocol.gate.decision import Decision, Outbox
from avow.protocol.gate.inquiry import Inquiry
from avow.protocol.gate.knowledge import Knowledge
from avow.protocol.gate.pending import Claims
from avow.protocol.gate.policy import GatePolicy
from avow.protocol.gate.refusal import SERVER_GONE
from avow.protocol.gate.server_requests import ServerRequests
from avow.protocol.gate.server_side import ServerSide
from avow.protocol.gate.session import Phase, Session
from avow.protocol.gate.signature import Declaration
from avow.protocol.gate.stateless import HeaderFacts, read_claims
from avow.protocol.messages import RequestId, error_response


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
        stateless: bool = False,
    ) -> None:
        """Without a contract, one is established as `policy.source` says.

        Gates for single requests to one stateless server may share `knowledge`; its contract then counts.
        They are `stateless` where the transport has settled that: nothing can begin a session then.
        """
        self._knowledge = Knowledge(contract) if knowledge is None else knowledge
        self._session = Session(policy, self._knowledge, server_name)
        if stateless:
            self._session.era = Era.MODERN
        answers = Answers(self._session)
        self._inquiry = Inquiry(self._session, answers)
        server_requests = ServerRequests(self._session)
        self._client = ClientSide(self._session, self._inquiry, server_requests)
        self._quick = self._client.quick
        self._server = ServerSide(self._session, self._inquiry, server_requests, answers, self._client)

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
        return self._client.holds > 0

    @property
    def pending(self) -> int:
        """How many requests of the client wait for their answer."""
        return len(self._session.pending)

    def from_client(self, line: bytes, headers: HeaderFacts | None = None) -> Decision:
        """A message arrived from the client; `headers` are the HTTP headers it came with, if any."""
        if headers is None and self._quick.passes_call(line):
            return Decision((line,))
        out = Outbox()
        if line and not line.isspace():
            self._client.take(line, headers, out)
        return out.decision()

    def from_server(self, line: bytes) -> Decision:
        """A message arrived from the server."""
        if self._quick.passes_answer(line):
            return Decision((), (line,))
        out = Outbox()
        self._take_from_server(line, out)
        return out.decision()

    def passes_call(self, request_id: int, params: Mapping[str, JsonValue] | None) -> bool:
        """Whether a call of the client with these params surely passes; it then waits for its answer.

        For whoever has the values of messages and would only write them down for the gate. When it is
        false, nothing has happened, and `from_client` decides.
        """
        return self._quick.passes_call_value(request_id, params)

    def passes_answer(self, request_id: int, result: Mapping[str, JsonValue]) -> bool:
        """The same for the server's answer to a call; otherwise `from_server` decides."""
        return self._quick.passes_answer_value(request_id, result)

    def pass_calls(self, lines: Sequence[bytes]) -> int:
        """How many of the first lines are calls that go to the server as they came, with nothing to log.

        These are decided on; `all_from_client` decides on the rest.
        """
        passes = self._quick.passes_call
        for number, line in enumerate(lines):
            if not passes(line):
                return number
        return len(lines)

    def pass_answers(self, lines: Sequence[bytes]) -> int:
        """The same for lines of the server: answers to calls that go to the client as they came."""
        passes = self._quick.passes_answer
        for number, line in enumerate(lines):
            if not passes(line):
                return number
        return len(lines)

    def all_from_client(self, lines: Iterable[bytes]) -> Decision:
        """Several messages arrived from the client: one decision, up to the end of the session."""
        out = Outbox()
        passes, forward = self._quick.passes_call, out.to_server.append
        for line in lines:
            if passes(line):
                forward(line)
            elif line and not line.isspace():
                self._client.take(line, None, out)
                if out.close:
                    break
        return out.decision()

    def all_from_server(self, lines: Iterable[bytes]) -> Decision:
        """Several messages arrived from the server: one decision, up to the end of the session."""
        out = Outbox()
        passes, forward = self._quick.passes_answer, out.to_client.append
        for line in lines:
            if passes(line):
                forward(line)
            else:
                self._take_from_server(line, out)
                if out.close:
                    break
        return out.decision()

    def server_gone(self, reason: str) -> Decision:
        """The server's side has ended: whoever waits is told, and the session is over."""
        out = Outbox()
        out.events.append(event("server_gone", Severity.MODERATE, detail=reason))
        message = f"avow: the server is gone ({reason})"
        for request_id in (*self._session.pending.drain(), *self._client.held_ids()):
            out.to_client.append(error_response(request_id, SERVER_GONE, message))
        self._client.end(out)
        return out.decision()

    def expire(self) -> None:
        """What was seen of the server is too old: its lists are compared again before the next call.

        A server of 2026-07-28 tells nobody about a changed list who has not subscribed; whoever has a clock
        calls this when the `ttlMs` of its lists has passed, or now and then.
        """
        self._knowledge.expire()

    def abandon(self, reason: str, request_id: RequestId | None = None) -> Decision:
        """The gate's own questions, or one of them, were not answered: what was held for them is refused."""
        out = Outbox()
        if self._inquiry.is_open:
            self._client.apply(self._inquiry.abandon(reason, request_id), out)
        return out.decision()

    def recall(self, known: Declaration) -> None:
        """What the server declared before: it is not asked to repeat what it advertises the digest of."""
        self._inquiry.recall(known, is_current=True)

    def establish(self, meta: JsonObject | None = None) -> Decision:
        """Find out what makes the contract now, before anybody needs it, unless that is known or under way.

        `meta` is what the requests of the client carry on 2026-07-28.

        Raises:
            Refusal: `meta` is not that.
        """
        out = Outbox()
        if self._session.contract is None and not self._inquiry.is_open:
            self._client.apply(self._inquiry.begin(None, self._claims(meta)), out)
        return out.decision()

    def compare(self, kind: Kind, meta: JsonObject | None = None) -> Decision:
        """Compare the present list of a kind with the contract now, unless that is done or under way.

        Raises:
            Refusal: `meta` is not what the requests of a client carry on 2026-07-28.
        """
        out = Outbox()
        claims = self._claims(meta)
        is_due = self._session.contract is not None and not self._knowledge.is_verified(kind, claims.key)
        if is_due and not self._inquiry.is_open:
            self._client.apply(self._inquiry.begin(kind, claims), out)
        return out.decision()

    def successor(self, known: Declaration | None = None) -> "Gate":
        """A gate for the same connection that has yet to find out what makes a contract.

        It asks the server whatever that advertised; what is `known` need not be repeated.
        """
        gate = Gate(None, self._session.policy, self._session.server_name)
        gate._session.resume(self._session)
        if known is not None:
            gate._inquiry.recall(known, is_current=False)
        return gate

    def adopt(self, contract: Contract) -> None:
        """Hold the connection to another contract from now on; the server's lists are compared anew."""
        self._knowledge.adopt(contract)
        self._knowledge.expire()

    def _claims(self, meta: JsonObject | None) -> Claims:
        if self._session.era is Era.LEGACY:
            return self._session.claims
        return read_claims("", {"_meta": meta}, None)

    def _take_from_server(self, line: bytes, out: Outbox) -> None:
        if line and not line.isspace() and self._session.phase is not Phase.TERMINATED:
            self._server.take(line, out)
