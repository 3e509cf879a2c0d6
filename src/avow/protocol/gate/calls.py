"""Requests that use a capability: each passes only when the contract covers it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from avow.core.arguments import ArgumentChecker, Mismatch
from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind
from avow.core.contract import Contract, ContractSource
from avow.core.severity import Severity
from avow.core.uri_template import is_escaping
from avow.errors import MalformedInputError
from avow.protocol.events import Event, event, shown
from avow.protocol.gate.knowledge import Knowledge
from avow.protocol.gate.pending import Claims
from avow.protocol.gate.policy import GatePolicy, OnChanged
from avow.protocol.gate.refusal import Reason, Refusal, invalid_params, outside
from avow.protocol.messages import refuse_variants

DECIDED_ON: Final = frozenset(
    {"name", "uri", "ref", "arguments", "argument", "notifications", "cursor", "_meta"}
)
_REFERENCES: Final = frozenset({"type", "name", "uri"})
_FILTERS: Final = frozenset(
    {"resourceSubscriptions", "toolsListChanged", "promptsListChanged", "resourcesListChanged"}
)
_WATCHED: Final = "resourceSubscriptions"
_NONE: Final[JsonObject] = {}
_decode: Final = msgspec.json.Decoder().decode


class Wait(Exception):  # noqa: N818 - not a mistake: the request is held until more is known
    """A request cannot be judged before the lists of a kind, or the contract itself, are known."""

    def __init__(self, kind: Kind | None) -> None:
        """`kind` is `None` when the contract is what is missing; `claims` are added by whoever has them."""
        super().__init__()
        self.kind = kind
        self.claims = Claims()


class Calls:
    """Judges calls against what is known; `restricted` leaves only tools rated low."""

    def __init__(self, knowledge: Knowledge, policy: GatePolicy) -> None:
        """Judge by a policy, on shared knowledge."""
        self._knowledge = knowledge
        self._policy = policy
        self._restricted = False
        self._callable: dict[str, ArgumentChecker | None] = {}
        self._callable_for: tuple[int, bytes] = (-1, b"")

    @property
    def restricted(self) -> bool:
        """Whether only tools rated low are left."""
        return self._restricted

    def restrict(self) -> None:
        """Leave only tools rated low from now on."""
        self._restricted = True
        self._callable_for = (-1, b"")

    def tool(self, params: JsonObject, key: bytes, *, with_arguments: bool = True) -> str:
        """A call on a tool; its name.

        Raises:
            Refusal: it is outside the contract.
            Wait: the server's present tools have to be compared first.
        """
        name = self._identifier(params, "name")
        known = self._knowledge.version, key
        if self._callable_for != known:
            self._callable.clear()
            self._callable_for = known
        if name not in self._callable:
            self._decide_on_tool(name, key)
        checker = self._callable.get(name)
        if with_arguments and checker is not None:
            mismatch = checker.check(params.get("arguments", _NONE))
            if mismatch is not None:
                raise _wrong_arguments(name, mismatch)
        return name

    def surely_passes(self, params: JsonObject, key: bytes, written: bytes = b"") -> bool:
        """Whether `tool` would let a call pass without deciding anything anew; false says nothing.

        The keys of `params` are known to be as they should be. Where they did not come as bytes, `written`
        is how they will be read.
        """
        if self._callable_for != (self._knowledge.version, key):
            return False
        name = params.get("name")
        if type(name) is not str or name not in self._callable:
            return False
        checker = self._callable[name]
        if checker is None:
            return True
        if written:
            params = _decode(written)
        return checker.check(params.get("arguments", _NONE)) is None

    def _decide_on_tool(self, name: str, key: bytes) -> None:
        """Whether a tool may be called, and how its arguments are checked, until something new is known."""
        approved = self._approved(Kind.TOOL, name, key)
        if self._restricted and (approved is None or not self._knowledge.is_low(approved)):
            raise outside(Reason.RESTRICTED, Kind.TOOL, name, severity=Severity.MODERATE)
        if approved is None:
            return
        checker = self._knowledge.checker(approved) if self._validates() else None
        if checker is None and self._validates():
            raise _unusable(name)
        self._callable[name] = checker

    def prompt(self, params: JsonObject, key: bytes) -> str:
        """A use of a prompt; its name. Raises as `tool` does."""
        name = self._identifier(params, "name")
        self._approved(Kind.PROMPT, name, key)
        return name

    def resource(self, params: JsonObject, key: bytes) -> str:
        """A read of, or subscription to, a resource; its URI. Raises as `tool` does."""
        uri = self._identifier(params, "uri")
        self._readable(uri, key)
        return uri

    def known_resource(self, params: JsonObject) -> str:
        """A resource that the contract covers, whatever it looks like now; its URI.

        Raises:
            Refusal: the contract does not cover it.
            Wait: there is no contract yet.
        """
        uri = self._identifier(params, "uri")
        if not any(self._covering(uri)) and not self._contract.is_open(Kind.RESOURCE):
            raise outside(Reason.NOT_APPROVED, Kind.RESOURCE, uri)
        return uri

    def completion(self, params: JsonObject, key: bytes) -> str:
        """A request for completions of an argument of a prompt or template. Raises as `tool` does."""
        _refuse_variants(params, DECIDED_ON)
        reference = params.get("ref")
        if not isinstance(reference, dict):
            raise invalid_params("the request does not say what it completes")
        _refuse_variants(reference, _REFERENCES)
        match reference.get("type"):
            case "ref/prompt":
                return self.prompt(reference, key)
            case "ref/resource":
                uri = self._identifier(reference, "uri")
                if self._contract.find(Kind.TEMPLATE, uri) is not None:
                    self._approved(Kind.TEMPLATE, uri, key)
                else:
                    self._readable(uri, key)
                return uri
            case _:
                raise invalid_params("the request completes neither a prompt nor a resource")

    def listen(self, params: JsonObject, key: bytes) -> tuple[JsonObject | None, tuple[Event, ...]]:
        """A subscription to several things at once: without the resources outside the contract.

        The first value is `None` when nothing had to be left out. Raises as `tool` does.
        """
        _refuse_variants(params, DECIDED_ON)
        wanted = params.get("notifications")
        if not isinstance(wanted, dict):
            raise invalid_params("the subscription does not say to what")
        _refuse_variants(wanted, _FILTERS)
        uris = wanted.get(_WATCHED, [])
        if not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
            raise invalid_params("the subscribed resources are not a list of URIs")
        kept, events = [], []
        for uri in uris:
            try:
                self._readable(uri, key)
            except Refusal as refusal:
                events.append(refusal.event)
            else:
                kept.append(uri)
        if len(kept) == len(uris):
            return None, ()
        return {**params, "notifications": {**wanted, _WATCHED: kept}}, tuple(events)

    @property
    def _contract(self) -> Contract:
        if self._knowledge.contract is None:
            raise Wait(None)
        return self._knowledge.contract

    def _validates(self) -> bool:
        if self._policy.validate_arguments is None:
            return self._contract.source is ContractSource.LOCK
        return self._policy.validate_arguments

    def _identifier(self, params: JsonObject, member: str) -> str:
        _refuse_variants(params, DECIDED_ON)
        name = params.get(member)
        if type(name) is not str or not name:
            raise invalid_params(f"the request has no {member}")
        return name

    def _approved(self, kind: Kind, name: str, key: bytes) -> Capability | None:
        """The approved capability; `None` for one of an open kind that nobody listed."""
        approved = self._contract.find(kind, name)
        if approved is None:
            if self._contract.is_open(kind):
                return None
            raise outside(Reason.NOT_APPROVED, kind, name)
        self._make_sure(kind, name, key)
        return approved

    def _make_sure(self, kind: Kind, name: str, key: bytes) -> None:
        """Hold back what has changed, and wait while that is not known."""
        if not self._knowledge.is_verified(kind, key):
            raise Wait(kind)
        if self._policy.on_changed is OnChanged.BLOCK and self._knowledge.is_changed(kind, name, key):
            raise outside(Reason.CHANGED, kind, name)

    def _readable(self, uri: str, key: bytes) -> None:
        held_back: Refusal | None = None
        for capability in self._covering(uri):
            if capability.kind is Kind.TEMPLATE and is_escaping(uri):
                held_back = outside(Reason.TRAVERSAL, Kind.RESOURCE, uri)
                continue
            try:
                self._make_sure(capability.kind, capability.name, key)
            except Refusal as refusal:
                held_back = refusal
            else:
                return
        if held_back is not None:
            raise held_back
        if not self._contract.is_open(Kind.RESOURCE):
            raise outside(Reason.NOT_APPROVED, Kind.RESOURCE, uri)

    def _covering(self, uri: str) -> Iterator[Capability]:
        """The approved resource of that URI, or else the approved templates that expand to it."""
        exact = self._contract.find(Kind.RESOURCE, uri)
        if exact is not None:
            yield exact
            return
        for template in self._contract.of_kind(Kind.TEMPLATE).values():
            compiled = self._knowledge.template(template.name)
            if compiled is not None and compiled.matches(uri):
                yield template


def _wrong_arguments(name: str, mismatch: Mismatch) -> Refusal:
    where = f"{mismatch.path or 'the arguments'}: {mismatch.keyword}" if mismatch.keyword else ""
    return outside(Reason.ARGUMENTS, Kind.TOOL, name, where=shown(where), severity=Severity.MODERATE)


def _unusable(name: str) -> Refusal:
    refusal = outside(Reason.ARGUMENTS, Kind.TOOL, name)
    detail = "the approved input schema does not compile, so no arguments can be checked"
    refusal.event = event("schema_unusable", Severity.MODERATE, kind=Kind.TOOL, name=name, detail=detail)
    return refusal


def _refuse_variants(value: JsonObject, names: frozenset[str]) -> None:
    try:
        refuse_variants(value, names)
    except MalformedInputError as exc:
        raise invalid_params(exc.message) from None
