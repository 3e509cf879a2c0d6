"""What a client may send, and when: phases, eras, and the rule for each method."""

from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.errors import MalformedInputError
from avow.protocol.events import Event
from avow.protocol.gate.calls import Wait
from avow.protocol.gate.pending import Claims, Listing, Pending
from avow.protocol.gate.refusal import (
    Refusal,
    invalid_params,
    invalid_request,
    limit_reached,
)
from avow.protocol.gate.session import RESERVED_IDS, Phase, Session
from avow.protocol.gate.signature import is_advertised, signature_result
from avow.protocol.gate.stateless import HeaderFacts, is_modern, read_claims, unsupported
from avow.protocol.messages import Message, RequestId, encode, refuse_variants, result_response, strict

if TYPE_CHECKING:
    from collections.abc import Callable

LIST_KINDS: Final = {kind.list_method: kind for kind in Kind}

_DECIDED_ON: Final = frozenset({"cursor", "knownDigest", "_meta", "name", "uri", "arguments"})
_META: Final = frozenset({"_meta"})
_INITIALIZE: Final = frozenset({"protocolVersion", "capabilities", "clientInfo"})


class Admission(NamedTuple):
    """A request may pass: the line for the server and what its answer is checked with.

    Where the gate answers itself, `answer` goes to the client instead and nothing is pending.
    """

    line: bytes
    pending: Pending
    answer: bytes | None = None
    events: tuple[Event, ...] = ()


class WaitForHandshake(Wait):
    """A message came while the handshake was still under way."""


_Rule: TypeAlias = "Callable[[Requests, Message, JsonObject, Claims], Admission]"


class Requests:
    """Judges the requests and notifications of a client; nothing is remembered before one is admitted."""

    def __init__(self, session: Session) -> None:
        """Judge for one connection."""
        self._session = session

    def judge(self, message: Message, headers: HeaderFacts | None = None) -> Admission:
        """Decide on one request.

        Raises:
            Refusal: it may not pass.
            Wait: something has to be known first.
        """
        request_id = message.id
        assert request_id is not None
        self._check_id(request_id)
        if message.method == "initialize":
            return self._initialize(message)
        rule = _RULES.get(message.method)
        params = self._params(message, judged=rule is not None)
        claims = self._claims(message.method, params, headers)
        if rule is None:
            return Admission(message.line, Pending(message.method, claims))
        try:
            return rule(self, message, {} if params is None else params, claims)
        except Wait as wait:
            wait.claims = claims
            raise

    def probe(self, message: Message) -> None:
        """Find out whether a request has to wait, without deciding on it.

        Raises:
            Wait: it has.
        """
        with suppress(Refusal):
            self.judge(message)

    def can_follow(self, message: Message) -> bool:
        """Whether an answer to this request could be told apart from all others."""
        with suppress(Refusal):
            assert message.id is not None
            self._check_id(message.id)
            return True
        return False

    def unjudged(self, message: Message) -> Pending:
        """What is remembered of a request that passes although its rule says no."""
        return Pending(message.method, self._session.claims)

    def _check_id(self, request_id: RequestId) -> None:
        session = self._session
        if session.phase is Phase.TERMINATED:
            raise invalid_request("the session has ended", what="phase_violation")
        if type(request_id) is str and request_id.startswith(RESERVED_IDS):
            raise invalid_request(f"ids that start with {RESERVED_IDS} are the gate's own")
        if request_id in session.pending:
            raise invalid_request("the id belongs to another request", what="id_reused")
        if session.pending.is_full:
            raise limit_reached(f"{len(session.pending)} requests are waiting for their answer already")

    def _params(self, message: Message, *, judged: bool) -> JsonObject | None:
        """The params read strictly; `None` when there are none, or when nobody needs to read them."""
        body = message.body
        if type(body) is dict:
            return body
        if not judged and self._session.era is Era.LEGACY:
            return None
        try:
            params = strict(body) if isinstance(body, msgspec.Raw) else body
        except MalformedInputError:
            raise invalid_params("two readers could understand the params differently") from None
        if params is None or isinstance(params, dict):
            return params
        raise invalid_params("the params are not an object")

    def _claims(self, method: str, params: JsonObject | None, headers: HeaderFacts | None) -> Claims:
        """On whose word a request is made; a request in the wrong phase or era is refused here."""
        session = self._session
        if session.era is Era.LEGACY:
            if session.phase is not Phase.ACTIVE and method != "ping":
                raise invalid_request(
                    f"the session is {session.phase}, not active", what="phase_violation", name=method
                )
            if method == "server/discover" or (
                params is not None and "_meta" in params and is_modern(params)
            ):
                raise invalid_request("this session began with initialize", what="era_violation", name=method)
            if headers is not None and headers.protocol_version not in (None, session.version):
                raise invalid_request("the header names another protocol version", what="header_mismatch")
            return session.claims
        if session.initializing:
            if method == "ping":
                return session.claims
            raise WaitForHandshake(None)
        if session.era is Era.MODERN or method == "server/discover" or is_modern(params):
            _exactly(params or {}, _META)
            return read_claims(method, params or {}, headers)
        if method == "ping":
            return session.claims
        raise invalid_request(
            f"the session is {session.phase}, not active", what="phase_violation", name=method
        )

    def _initialize(self, message: Message) -> Admission:
        session = self._session
        params = self._params(message, judged=True)
        version = (params or {}).get("protocolVersion")
        if session.era is Era.MODERN:
            raise unsupported(version)
        if session.initializing or session.era is Era.LEGACY:
            raise invalid_request("a session is initialized once", what="phase_violation", name="initialize")
        if params is None or not isinstance(version, str):
            raise invalid_params("initialize has no protocolVersion")
        _exactly(params, _INITIALIZE)
        capabilities = params.get("capabilities", {})
        if not isinstance(capabilities, dict):
            raise invalid_params("the client capabilities are not an object")
        return Admission(message.line, Pending("initialize", Claims(version, capabilities)))

    def _list(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        session = self._session
        _exactly(params, _DECIDED_ON)
        if session.contract is None:
            raise Wait(None)
        kind = LIST_KINDS[message.method]
        cursor = params.get("cursor")
        walk = session.walks.get(kind)
        if cursor is None:
            walk = Listing(kind, session.knowledge.generation(kind), claims.key)
        elif walk is None or walk.cursor != cursor or walk.key != claims.key:
            walk = Listing(kind, session.knowledge.generation(kind), claims.key, from_start=False)
        return Admission(message.line, Pending(message.method, claims, walk))

    def _tool(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        self._session.calls.tool(params, claims.key)
        return Admission(message.line, Pending(message.method, claims))

    def _resolve(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        name = self._session.calls.tool(params, claims.key, with_arguments=False)
        return Admission(message.line, Pending(message.method, claims, name=name))

    def _prompt(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        self._session.calls.prompt(params, claims.key)
        return Admission(message.line, Pending(message.method, claims))

    def _resource(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        self._session.calls.resource(params, claims.key)
        return Admission(message.line, Pending(message.method, claims))

    def _unsubscribe(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        self._session.calls.known_resource(params)
        return Admission(message.line, Pending(message.method, claims))

    def _complete(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        self._session.calls.completion(params, claims.key)
        return Admission(message.line, Pending(message.method, claims))

    def _listen(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        remaining, events = self._session.calls.listen(params, claims.key)
        line = message.line
        if remaining is not None and not self._session.policy.audit:
            line = encode({"jsonrpc": "2.0", "id": message.id, "method": message.method, "params": remaining})
        return Admission(line, Pending(message.method, claims), events=events)

    def _signature(self, message: Message, params: JsonObject, claims: Claims) -> Admission:
        session = self._session
        _exactly(params, _DECIDED_ON)
        if session.contract is None:
            raise Wait(None)
        known = params.get("knownDigest")
        pending = Pending(message.method, claims, known_digest=known if isinstance(known, str) else "")
        if is_advertised(session.server_capabilities):
            return Admission(message.line, pending)
        assert message.id is not None
        era = Era.MODERN if claims.meta is not None else Era.LEGACY
        return Admission(
            b"", pending, result_response(message.id, signature_result(session.contract, known, era))
        )


def needs_id(method: str) -> bool:
    """Whether a method that came without an id would escape its rule."""
    return method in _RULES or method in ("initialize", "ping", "server/discover")


def _exactly(params: JsonObject, names: frozenset[str]) -> None:
    try:
        refuse_variants(params, names)
    except MalformedInputError as exc:
        raise invalid_params(exc.message) from None


_RULES: Final[dict[str, _Rule]] = {
    **dict.fromkeys(LIST_KINDS, Requests._list),
    "tools/call": Requests._tool,
    "tools/resolve": Requests._resolve,
    "prompts/get": Requests._prompt,
    "resources/read": Requests._resource,
    "resources/subscribe": Requests._resource,
    "resources/unsubscribe": Requests._unsubscribe,
    "completion/complete": Requests._complete,
    "subscriptions/listen": Requests._listen,
    "signature": Requests._signature,
}
