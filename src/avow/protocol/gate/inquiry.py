"""The gate's own questions to a server: its signature, and the whole of its present lists.

Their ids are the gate's alone, and their answers never reach the client.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.core.severity import Severity
from avow.core.snapshot import Source
from avow.errors import MalformedInputError
from avow.protocol.events import Event, event
from avow.protocol.gate.answers import Answers
from avow.protocol.gate.lists import read_page
from avow.protocol.gate.pending import Claims, Listing
from avow.protocol.gate.policy import Fallback
from avow.protocol.gate.refusal import Refusal, limit_reached
from avow.protocol.gate.session import RESERVED_IDS, Session
from avow.protocol.gate.signature import Declaration, advertised_digest, is_advertised, read_answer
from avow.protocol.messages import METHOD_NOT_FOUND, Message, RequestId, request, result_bytes, strict

if TYPE_CHECKING:
    from avow.core.canonical import JsonObject

_ATTEMPTS: Final = 3
_NEEDS: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}


class _Question(msgspec.Struct, frozen=True):
    method: str
    claims: Claims
    listing: Listing | None = None
    attempt: int = 1
    known: Declaration | None = None


class Findings(msgspec.Struct):
    """What an answer led to: further questions, events, and what could not be found out."""

    requests: list[bytes] = msgspec.field(default_factory=list)
    events: list[Event] = msgspec.field(default_factory=list)
    failed: set[Kind | None] = msgspec.field(default_factory=set)
    reject: bool = False


class Inquiry:
    """Asks a server until the contract, or the present list of a kind, is known."""

    def __init__(self, session: Session, answers: Answers) -> None:
        """Ask on one connection."""
        self._session = session
        self._answers = answers
        self._asked: dict[RequestId, _Question] = {}
        self._failed: set[Kind | None] = set()
        self._frozen: list[Capability] = []
        self._walks: list[Listing] = []
        self._known: Declaration | None = None
        self._known_is_current = False

    def recall(self, known: Declaration, *, is_current: bool) -> None:
        """A declaration of this server from before: the server need not repeat it.

        Where that `is_current` is what the server advertises, it is not even asked.
        """
        self._known = known
        self._known_is_current = is_current

    @property
    def is_open(self) -> bool:
        """Whether a question waits for its answer."""
        return bool(self._asked)

    def is_ours(self, request_id: RequestId | None) -> bool:
        """Whether an id is in the gate's own space, asked or not."""
        return isinstance(request_id, str) and request_id.startswith(RESERVED_IDS)

    def begin(self, kind: Kind | None, claims: Claims) -> Findings:
        """Find out about a kind, or about the contract when `kind` is `None`."""
        findings = Findings()
        if kind is not None:
            self._walk(kind, claims, findings)
        elif self._session.policy.source is Source.FROZEN:
            self._freeze(claims, findings)
        elif self._session.server_capabilities is None:
            self._ask("server/discover", claims, findings)
        else:
            self._declared_or_not(claims, findings)
        return findings

    def answered(self, message: Message) -> Findings | None:
        """An answer to one of our questions; `None` when it was not asked."""
        assert message.id is not None
        question = self._asked.pop(message.id, None)
        if question is None:
            return None
        findings = Findings()
        try:
            self._conclude(question, message, findings)
        except (MalformedInputError, Refusal) as exc:
            detail = exc.message
            findings.events.append(
                event("verification_failed", Severity.CRITICAL, name=question.method, detail=detail)
            )
            self._fail(question)
        return self._settled(findings)

    def abandon(self, detail: str, request_id: RequestId | None = None) -> Findings:
        """No answer will come any more: to one question, or to all."""
        findings = Findings()
        for key in [request_id] if request_id is not None else list(self._asked):
            if question := self._asked.pop(key, None):
                findings.events.append(
                    event("verification_failed", Severity.CRITICAL, name=question.method, detail=detail)
                )
                self._fail(question)
        return self._settled(findings)

    def close(self) -> None:
        """Nobody wants to know any more."""
        self._asked.clear()

    def _conclude(self, question: _Question, message: Message, findings: Findings) -> None:
        if question.listing is not None:
            self._turn(question, question.listing, message, findings)
        elif message.failed:
            self._fall_back(question.claims, findings)
        elif question.method == "server/discover":
            capabilities = strict(message.body).get("capabilities")
            self._session.server_capabilities = capabilities if isinstance(capabilities, dict) else {}
            self._declared_or_not(question.claims, findings)
        else:
            self._declare(question, message, findings)

    def _declared_or_not(self, claims: Claims, findings: Findings) -> None:
        capabilities, known = self._session.server_capabilities, self._known
        if not is_advertised(capabilities):
            self._fall_back(claims, findings)
        elif (
            known is not None
            and self._known_is_current
            and advertised_digest(capabilities) == known.signature.digest
        ):
            self._adopt_declared(known, findings)
        else:
            self._ask("signature", claims, findings, known=known)

    def _declare(self, question: _Question, message: Message, findings: Findings) -> None:
        limits = self._session.policy.limits
        if len(message.line) > limits.list_bytes:
            raise limit_reached(f"the signature is larger than {limits.list_bytes} bytes")
        declared = read_answer(strict(message.body), limits.list_items, question.known)
        self._adopt_declared(declared, findings)

    def _adopt_declared(self, declared: Declaration, findings: Findings) -> None:
        contract = Contract.from_signature(
            declared.signature, ContractSource.DECLARED, open_kinds=declared.open_kinds
        )
        self._adopt(contract, findings)

    def _fall_back(self, claims: Claims, findings: Findings) -> None:
        policy = self._session.policy
        if policy.fallback is Fallback.FREEZE:
            self._freeze(claims, findings)
        elif policy.fallback is Fallback.REJECT and not policy.audit:
            findings.reject = True
        else:
            everything = Contract.from_signature(Signature(), ContractSource.DECLARED, open_kinds=Kind)
            self._adopt(everything, findings)

    def _freeze(self, claims: Claims, findings: Findings) -> None:
        self._frozen.clear()
        self._walks.clear()
        capabilities = self._session.server_capabilities
        for kind in Kind:
            if capabilities is None or _NEEDS[kind] in capabilities:
                self._walk(kind, claims, findings)
        if not self._asked:
            self._adopt(Contract.from_signature(Signature(), ContractSource.FROZEN), findings)

    def _walk(self, kind: Kind, claims: Claims, findings: Findings, attempt: int = 1) -> None:
        listing = Listing(kind, self._session.knowledge.generation(kind), claims.key)
        self._ask(kind.list_method, claims, findings, listing, attempt)

    def _turn(self, question: _Question, listing: Listing, message: Message, findings: Findings) -> None:
        if message.failed:
            self._missing(listing, message, findings)
        else:
            self._page(listing, message, findings)
            if listing.cursor is not None:
                self._ask(
                    question.method, question.claims, findings, listing, question.attempt, listing.cursor
                )
                return
        self._finish(question, listing, findings)

    def _missing(self, listing: Listing, message: Message, findings: Findings) -> None:
        """A server that does not know the method has nothing of this kind; another error is no answer."""
        if strict(message.body).get("code") == METHOD_NOT_FOUND and not listing.cursors:
            return
        if self._session.contract is not None:
            raise MalformedInputError("the server answered its list with an error")
        detail = "the server could not list it: nothing of this kind is in the contract"
        findings.events.append(
            event("contract_incomplete", Severity.MODERATE, kind=listing.kind, detail=detail)
        )

    def _page(self, listing: Listing, message: Message, findings: Findings) -> None:
        body = result_bytes(message)
        limits = self._session.policy.limits
        if listing.size + len(body) > limits.list_bytes:
            raise limit_reached(f"the list is larger than {limits.list_bytes} bytes")
        if self._session.contract is None:
            page = read_page(listing.kind, body)
            listing.turn(page.names, page.cursor, len(body))
            if listing.pages > limits.list_pages or len(self._frozen) + len(page.names) > limits.list_items:
                raise limit_reached("the list has more pages or items than are accepted")
            self._frozen.extend(page.capabilities)
        else:
            findings.events.extend(self._answers.page(body, listing).events)

    def _finish(self, question: _Question, listing: Listing, findings: Findings) -> None:
        if self._session.contract is None:
            self._walks.append(listing)
            if not self._asked and None not in self._failed:
                signature = Signature.of(self._frozen)
                self._adopt(Contract.from_signature(signature, ContractSource.FROZEN), findings, self._walks)
        elif not self._session.knowledge.finished(listing):
            if question.attempt >= _ATTEMPTS:
                raise MalformedInputError("the server changes its list whenever it is asked for")
            self._walk(listing.kind, question.claims, findings, question.attempt + 1)

    def _adopt(self, contract: Contract, findings: Findings, walks: Iterable[Listing] = ()) -> None:
        self._session.knowledge.adopt(contract)
        for listing in walks:
            self._session.knowledge.finished(listing)
        detail = f"{sum(1 for _ in contract.signature)} capabilities, {contract.source}"
        findings.events.append(event("contract_ready", Severity.INFO, name=contract.digest, detail=detail))

    def _fail(self, question: _Question) -> None:
        kind = question.listing.kind if question.listing is not None else None
        self._failed.add(None if self._session.contract is None else kind)

    def _settled(self, findings: Findings) -> Findings:
        """Hand over what failed once nothing is under way."""
        if not self._asked:
            findings.failed = self._failed
            self._failed = set()
        return findings

    def _ask(
        self,
        method: str,
        claims: Claims,
        findings: Findings,
        listing: Listing | None = None,
        attempt: int = 1,
        cursor: str | None = None,
        *,
        known: Declaration | None = None,
    ) -> None:
        request_id = f"{RESERVED_IDS}{self._session.knowledge.next_question()}"
        params: JsonObject = {} if cursor is None else {"cursor": cursor}
        if known is not None:
            params["knownDigest"] = known.signature.digest
        if claims.meta is not None:
            params["_meta"] = claims.meta
        self._asked[request_id] = _Question(method, claims, listing, attempt, known)
        findings.requests.append(request(request_id, method, params))
