"""What a server may answer: presentations, lists, signatures and requests for input, held to the contract."""

from typing import Final, NamedTuple

import msgspec

from avow.core.canonical import JsonObject, canonical
from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import MalformedInputError
from avow.protocol.events import Event, event
from avow.protocol.gate.client_capabilities import ASKING_METHODS, missing_capability
from avow.protocol.gate.handshake import judge_presentation
from avow.protocol.gate.lists import JudgedPage, judge_page, read_page
from avow.protocol.gate.pending import Listing, Pending
from avow.protocol.gate.refusal import (
    CAPABILITY_MISSING,
    Reason,
    Refusal,
    invalid_request,
    limit_reached,
    outside,
)
from avow.protocol.gate.session import Phase, Session
from avow.protocol.gate.signature import is_contract, signature_result
from avow.protocol.messages import (
    METHOD_NOT_FOUND,
    Message,
    join,
    members,
    refuse_variants,
    result_bytes,
    result_response,
    strict,
)
from avow.protocol.negotiation import judge_version

_INPUT_REQUIRED: Final = b"input_required"
_ASKING: Final = frozenset({"resultType", "inputRequests"})
_ENTRY: Final = frozenset({"method", "params"})
_ERROR: Final = frozenset({"code", "message", "data"})
_ELICITATIONS: Final = frozenset({"elicitations"})
_TOOL: Final = frozenset({"tool"})
_MAX_REPORTED: Final = 500
_RESOLVED: Final = frozenset({"annotations", "requiredScopes", "resolvedVariants"})


class Shown(NamedTuple):
    """What the client gets for an answer."""

    line: bytes
    events: tuple[Event, ...] = ()


class Answers:
    """Judges what a server answers to the requests of a client."""

    def __init__(self, session: Session) -> None:
        """Judge for one connection."""
        self._session = session

    def judge(self, message: Message, pending: Pending) -> Shown:
        """Decide on the answer to one request.

        Raises:
            Refusal: the client gets this error instead.
        """
        modern = pending.claims is not None and pending.claims.meta is not None
        if message.failed and pending.method == "initialize":
            self._session.initializing = False
            self._session.phase = Phase.AWAITING_INIT
        elif modern and not message.failed:
            self._settle_era(Era.MODERN)
        try:
            if message.failed:
                return self._failed(message, pending, modern=modern)
            if modern:
                self._check_input(message, pending)
            match pending.method:
                case "initialize":
                    return self._initialized(message, pending)
                case "server/discover":
                    return self._discovered(message)
                case "signature":
                    return self._signed(message, pending)
                case "tools/resolve":
                    return self._resolved(message, pending)
                case _:
                    pass
            if pending.listing is not None:
                return self._listed(message, pending.listing)
        except MalformedInputError as exc:
            raise malformed(pending.method, exc.message) from None
        return Shown(message.line)

    def page(self, body: bytes, listing: Listing) -> JudgedPage:
        """Read and judge one page of a walk, from memory when the same bytes came before.

        Raises:
            MalformedInputError: it is no page of this kind.
            Refusal: the list is longer than anybody needs.
        """
        session = self._session
        contract = session.contract
        assert contract is not None
        kind, restricted = listing.kind, session.calls.restricted
        is_allowed = session.knowledge.is_low if restricted else None
        known = session.knowledge.remembered(kind, restricted, body)
        if known is None:
            judged = judge_page(
                read_page(kind, body), contract, session.policy.on_changed, is_allowed=is_allowed
            )
            session.knowledge.remember(kind, restricted, body, judged)
        else:
            judged = known.again()
        if listing.names and not listing.names.isdisjoint(judged.names):
            judged = judge_page(
                read_page(kind, body),
                contract,
                session.policy.on_changed,
                seen=listing.names,
                is_allowed=is_allowed,
            )
        listing.turn(judged.names, judged.cursor, len(body))
        limits = session.policy.limits
        if listing.pages > limits.list_pages or len(listing.names) > limits.list_items:
            raise limit_reached("the list has more pages or items than are accepted")
        session.knowledge.saw(listing, judged)
        listing.reported += len(judged.events)
        return judged.again() if listing.reported > _MAX_REPORTED else judged

    def _failed(self, message: Message, pending: Pending, *, modern: bool) -> Shown:
        """An error passes, unless it sends the user of a client to an address that the client cannot open.

        Whatever its code is: some readers take a code that is a text for the number.
        """
        error = self._object(message)
        refuse_variants(error, _ERROR)
        data = error.get("data")
        if isinstance(data, dict):
            refuse_variants(data, _ELICITATIONS)
            if "elicitations" in data:
                assert pending.claims is not None
                required = missing_capability(
                    "elicitation/create", {"mode": "url"}, pending.claims.capabilities
                )
                if required is not None:
                    raise undeclared(pending.method, required, modern=modern)
        return Shown(message.line)

    def _settle_era(self, era: Era) -> None:
        if self._session.era is None:
            self._session.era = era
        elif self._session.era is not era:
            raise invalid_request(
                "the server answers in two eras of the protocol at once", what="era_violation"
            )

    def _initialized(self, message: Message, pending: Pending) -> Shown:
        session = self._session
        session.initializing = False
        claims = pending.claims
        assert claims is not None
        if session.era is Era.MODERN:
            raise invalid_request(
                "the server answers in two eras of the protocol at once", what="era_violation"
            )
        result = self._object(message)
        version = result.get("protocolVersion")
        if not isinstance(version, str):
            raise MalformedInputError("the server agreed on no protocol version")
        approved = session.contract.server if session.contract is not None else None
        agreement = judge_version(
            version,
            session.policy.versions,
            requested=claims.version,
            approved=approved.protocol_version if approved is not None else None,
        )
        if agreement.refused and not session.policy.audit:
            refusal = Refusal(
                -32602, "avow: the agreed protocol version is below what policy allows", agreement.events[-1]
            )
            refusal.close = True
            raise refusal
        shown = self._presented(message, result, Era.LEGACY)
        session.era, session.phase, session.version = Era.LEGACY, Phase.INIT_SENT, version
        session.claims = claims
        if agreement.restricted and not session.policy.audit:
            session.calls.restrict()
        return Shown(shown.line, agreement.events + shown.events)

    def _discovered(self, message: Message) -> Shown:
        return self._presented(message, self._object(message), Era.MODERN)

    def _presented(self, message: Message, result: JsonObject, era: Era) -> Shown:
        session = self._session
        shown = judge_presentation(result, session.contract, session.policy, era, session.server_name)
        session.server_capabilities = result["capabilities"]
        assert message.id is not None
        if not shown.rewritten or session.policy.audit:
            return Shown(message.line, tuple(shown.events))
        return Shown(result_response(message.id, shown.result), tuple(shown.events))

    def _listed(self, message: Message, listing: Listing) -> Shown:
        session = self._session
        judged = self.page(result_bytes(message), listing)
        session.walks[listing.kind] = listing
        if listing.cursor is None and listing.from_start:
            session.knowledge.finished(listing)
        if judged.body is None or session.policy.audit:
            return Shown(message.line, judged.events)
        return Shown(join({**members(message.line), "result": judged.body}), judged.events)

    def _signed(self, message: Message, pending: Pending) -> Shown:
        """The client reads the contract, whatever stands beside the server's own declaration of it."""
        session = self._session
        contract = session.contract
        assert contract is not None
        assert message.id is not None
        events: tuple[Event, ...] = ()
        if not is_contract(
            self._object(message), contract, pending.known_digest, session.policy.limits.list_items
        ):
            detail = "the contract is shown instead"
            events = (event("signature_changed", Severity.CRITICAL, kind="server", detail=detail),)
        if session.policy.audit:
            return Shown(message.line, events)
        era = Era.MODERN if pending.claims is not None and pending.claims.meta is not None else Era.LEGACY
        result = signature_result(contract, pending.known_digest, era)
        return Shown(result_response(message.id, result), events)

    def _resolved(self, message: Message, pending: Pending) -> Shown:
        """A resolved tool is the approved one, with the annotations of one of its approved variants."""
        contract = self._session.contract
        assert contract is not None
        approved = contract.find(Kind.TOOL, pending.name)
        result = self._object(message)
        refuse_variants(result, _TOOL)
        tool = result.get("tool")
        if not isinstance(tool, dict):
            raise MalformedInputError("the answer has no tool")
        if approved is not None and not _is_variant(tool, approved.definition):
            raise outside(Reason.CHANGED, Kind.TOOL, pending.name)
        return Shown(message.line)

    def _check_input(self, message: Message, pending: Pending) -> None:
        """A result that asks the client for something may ask only for what this request declared.

        A text can spell `input_required` only with these bytes or with an escape.
        """
        if _INPUT_REQUIRED not in message.line and b"\\u" not in message.line:
            return
        parts = members(result_bytes(message))
        refuse_variants(parts, _ASKING)
        if "inputRequests" not in parts:
            return
        asked = strict(msgspec.Raw(parts["inputRequests"]))
        if not isinstance(asked, dict | None):
            raise MalformedInputError("the requests for input are not an object")
        claims = pending.claims
        assert claims is not None
        for entry in (asked or {}).values():
            if not isinstance(entry, dict) or entry.get("method") not in ASKING_METHODS:
                raise MalformedInputError("a request for input is of a kind that the protocol does not have")
            refuse_variants(entry, _ENTRY)
            method = entry["method"]
            required = missing_capability(method, entry.get("params"), claims.capabilities)
            if required is not None:
                raise undeclared(method, required, modern=True)

    def _object(self, message: Message) -> JsonObject:
        value = strict(message.body)
        assert isinstance(value, dict)
        return value


def malformed(method: str, detail: str) -> Refusal:
    """An answer that cannot be judged is not shown."""
    refusal = outside(Reason.MALFORMED, "request", method)
    refusal.event = event("answer_malformed", Severity.CRITICAL, name=method, detail=detail)
    return refusal


def undeclared(method: str, required: JsonObject, *, modern: bool) -> Refusal:
    """A server's answer asks for something that the client did not declare."""
    happened = event(
        "client_capability_missing", Severity.MODERATE, name=method, detail="the client did not declare it"
    )
    message = "avow: the server needs a client capability that this request did not declare"
    code = CAPABILITY_MISSING if modern else METHOD_NOT_FOUND
    return Refusal(code, message, happened, {"requiredCapabilities": required})


def _is_variant(tool: JsonObject, approved: JsonObject) -> bool:
    if canonical(_without(tool)) != canonical(_without(approved)):
        return False
    variants = approved.get("resolvedVariants")
    choices = (
        [approved, *(v for v in variants if isinstance(v, dict))]
        if isinstance(variants, list)
        else [approved]
    )
    base = _annotations(approved)
    shown = canonical(_annotations(tool))
    return any(
        canonical(tool.get("requiredScopes")) == canonical(choice.get("requiredScopes"))
        and shown in (canonical(_annotations(choice)), canonical(base | _annotations(choice)))
        for choice in choices
    )


def _annotations(definition: JsonObject) -> JsonObject:
    annotations = definition.get("annotations")
    return annotations if isinstance(annotations, dict) else {}


def _without(definition: JsonObject) -> JsonObject:
    return {member: value for member, value in definition.items() if member not in _RESOLVED}
