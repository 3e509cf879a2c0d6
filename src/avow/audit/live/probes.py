"""The probes: each is a short conversation on a fresh connection, and the findings that it proves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from avow.audit.live import rules
from avow.audit.live.surface import Surface, look
from avow.audit.live.talk import METHOD_NOT_FOUND, Talk, envelope
from avow.audit.model import Finding, Level, Pattern
from avow.core.canonical import JsonObject
from avow.core.capability import Kind

# Names by which people call what only some clients should get.
_FLAGS: Final = (
    "advancedMode",
    "advanced",
    "admin",
    "debug",
    "developer",
    "internal",
    "experimental",
    "beta",
    "unsafe",
    "premium",
)
CLAIMS: Final[JsonObject] = {
    "experimental": {name: {"enabled": True} for name in _FLAGS} | {"advancedMode": True, "all": True},
    "resources": {"subscribe": True, "listChanged": True},
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
}
NAMES: Final = ("cursor-vscode", "mcp-inspector", "admin")
NONSENSE: Final = "1999-01-01"
_OLDEST: Final = "2024-11-05"
_MOMENT: Final = 0.3
_PREMATURE: Final = ("tools/list", "prompts/list", "resources/list")


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier probes found out: what an ordinary client sees, and whether that is always the same."""

    surface: Surface
    is_steady: bool = True
    allowed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Probe:
    """One conversation: what it is called, which patterns it looks at, and how it goes."""

    name: str
    patterns: frozenset[Pattern]
    run: Callable[[Talk, Known], Iterator[Finding]] = field(compare=False)


class UnansweredError(Exception):
    """The server did not say enough for a probe to tell anything."""


def declared(talk: Talk, known: Known) -> Iterator[Finding]:
    """Judge what an ordinary session showed; the talk is the one it was seen in."""
    surface = known.surface
    for kind in Kind:
        reply, method = surface.replies[kind], kind.list_method
        if surface.declares(kind) and reply.code == METHOD_NOT_FOUND:
            severity = Level.LOW if kind is Kind.TEMPLATE else None
            message = f"declares {_holder(kind)}, and does not know {method}"
            yield rules.DECLARED_MISSING.finding(message, severity=severity, evidence=talk.record)
        elif surface.declares(kind) and reply.result is not None and _is_empty(surface, kind):
            message = f"declares {_holder(kind)}, and has none"
            yield rules.DECLARED_EMPTY.finding(message, evidence=talk.record)
        elif not surface.declares(kind) and reply.result is not None:
            message = f"answers {method}, and does not declare {_holder(kind)}"
            severity = None if surface.items[kind] else Level.LOW
            yield rules.UNDECLARED_SERVED.finding(message, severity=severity, evidence=talk.record)
    yield from _unsolicited(talk)


def before_initialize(talk: Talk, known: Known) -> Iterator[Finding]:
    """Ask for lists before anything else, then open the session as usual."""
    early = {method: talk.ask(method) for method in _PREMATURE}
    calls = _early_calls(talk, known)
    # A server that drops what comes too early still answers this, and has read everything before it.
    opened = talk.initialize()
    served = [
        method for method, number in early.items() if talk.has_reply(number) and talk.wait(number).result
    ]
    if opened.result is None and not served and not any(map(talk.has_reply, early.values())):
        raise UnansweredError
    if served:
        message = f"answers {', '.join(served)} before initialize"
        yield rules.LIST_BEFORE_INITIALIZE.finding(message, evidence=talk.record)
    yield from _carried_out(talk, calls, "before initialize")


def before_initialized(talk: Talk, known: Known) -> Iterator[Finding]:
    """Ask for lists between the answer to `initialize` and the notification."""
    if talk.initialize().result is None:
        raise UnansweredError
    early = {method: talk.ask(method) for method in _PREMATURE}
    calls = _early_calls(talk, known)
    talk.request("ping")
    served = [method for method, number in early.items() if talk.wait(number).result]
    if served:
        message = f"answers {', '.join(served)} before notifications/initialized"
        yield rules.LIST_BEFORE_INITIALIZED.finding(message, evidence=talk.record)
    yield from _carried_out(talk, calls, "before notifications/initialized")


def twice(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Open the session, and open it again."""
    if talk.initialize().result is None:
        raise UnansweredError
    talk.notify("notifications/initialized")
    if talk.initialize().result is not None:
        message = "accepts a second initialize in the same session"
        yield rules.INITIALIZED_TWICE.finding(message, evidence=talk.record)


def unknown_version(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Ask for a version that does not exist."""
    reply = talk.initialize(NONSENSE)
    if not reply.came:
        raise UnansweredError
    if reply.result is not None and reply.result.get("protocolVersion") == NONSENSE:
        message = f"agrees to the protocol version {NONSENSE}, which does not exist"
        yield rules.UNKNOWN_VERSION.finding(message, evidence=talk.record)


def oldest_version(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Ask for the first version that there was."""
    reply = talk.initialize(_OLDEST)
    if not reply.came:
        raise UnansweredError
    if reply.result is not None and reply.result.get("protocolVersion") == _OLDEST:
        yield rules.OLD_VERSION.finding(f"agrees to the protocol version {_OLDEST}", evidence=talk.record)


def claims(talk: Talk, known: Known) -> Iterator[Finding]:
    """Claim every feature that one may think of, and see whether there is more to be had."""
    reply = talk.initialize(capabilities=CLAIMS)
    yield from _grown(talk, known, reply.result)


def names(name: str) -> Callable[[Talk, Known], Iterator[Finding]]:
    """Come under another name."""

    def run(talk: Talk, known: Known) -> Iterator[Finding]:
        reply = talk.initialize(client={"name": name, "version": "1.0.0"})
        if reply.result is None:
            raise UnansweredError
        talk.notify("notifications/initialized")
        seen = look(talk, _capabilities(reply.result))
        yield from _named(talk, known, seen, name)

    return run


def modern_claims(talk: Talk, known: Known) -> Iterator[Finding]:
    """The same claims on single requests."""
    params = envelope(capabilities=CLAIMS)
    reply = talk.request("server/discover", params)
    if reply.result is None:
        raise UnansweredError
    seen = look(talk, _capabilities(reply.result), params)
    for difference in known.surface.differences(seen) if known.is_steady else ():
        yield rules.GROWS_BY_CLAIM.finding(
            f"to a client that claims features, it {difference}", evidence=talk.record
        )


def modern_names(name: str) -> Callable[[Talk, Known], Iterator[Finding]]:
    """Another name on single requests."""

    def run(talk: Talk, known: Known) -> Iterator[Finding]:
        params = envelope(client={"name": name, "version": "1.0.0"})
        reply = talk.request("server/discover", params)
        if reply.result is None:
            raise UnansweredError
        yield from _named(talk, known, look(talk, _capabilities(reply.result), params), name)

    return run


def modern_versions(talk: Talk, _known: Known) -> Iterator[Finding]:
    """Requests of a version that does not exist, and of none."""
    unknown = talk.request("tools/list", envelope(NONSENSE))
    missing = talk.request("tools/list", envelope(None))
    if not unknown.came and not missing.came:
        raise UnansweredError
    if unknown.result is not None:
        message = f"answers a request of the protocol version {NONSENSE}, which does not exist"
        yield rules.BAD_VERSION_META.finding(message, evidence=talk.record)
    if missing.result is not None:
        message = "answers a stateless request that does not say its protocol version"
        yield rules.BAD_VERSION_META.finding(message, evidence=talk.record)


def modern_bare(talk: Talk, _known: Known) -> Iterator[Finding]:
    """A request that says nothing about the client."""
    reply = talk.request("tools/list", {})
    if not reply.came:
        raise UnansweredError
    if reply.result is not None:
        message = "answers a request that does not say what the client is and can do"
        yield rules.UNDECLARED_CLIENT_META.finding(message, evidence=talk.record)


def _grown(talk: Talk, known: Known, result: JsonObject | None) -> Iterator[Finding]:
    if result is None:
        raise UnansweredError
    talk.notify("notifications/initialized")
    seen = look(talk, _capabilities(result))
    for difference in known.surface.differences(seen) if known.is_steady else ():
        message = f"to a client that claims features, it {difference}"
        yield rules.GROWS_BY_CLAIM.finding(message, evidence=talk.record)


def _named(talk: Talk, known: Known, seen: Surface, name: str) -> Iterator[Finding]:
    for difference in known.surface.differences(seen) if known.is_steady else ():
        message = f"to a client that calls itself {name}, it {difference}"
        yield rules.DIFFERS_BY_NAME.finding(message, evidence=talk.record)


def _unsolicited(talk: Talk) -> Iterator[Finding]:
    talk.listen(_MOMENT)
    for method in sorted({str(message["method"]) for message in talk.asked}):
        if method.startswith(("sampling/", "roots/", "elicitation/")):
            message = f"sends {method} to a client that did not declare it"
            yield rules.UNSOLICITED_REQUEST.finding(message, evidence=talk.record)


def _early_calls(talk: Talk, known: Known) -> dict[str, int]:
    return {name: talk.ask("tools/call", {"name": name, "arguments": {}}) for name in sorted(known.allowed)}


def _carried_out(talk: Talk, calls: dict[str, int], when: str) -> Iterator[Finding]:
    for name, number in calls.items():
        if talk.wait(number).result is not None:
            message = f"carries out a call of {name} {when}"
            yield rules.CALL_BEFORE_INITIALIZED.finding(message, evidence=talk.record)


def _capabilities(result: JsonObject) -> JsonObject:
    found = result.get("capabilities")
    return found if isinstance(found, dict) else {}


def _is_empty(surface: Surface, kind: Kind) -> bool:
    """Whether a kind has nothing; resources and templates share a capability, and one of them is enough."""
    if kind in (Kind.RESOURCE, Kind.TEMPLATE):
        return kind is Kind.RESOURCE and not surface.items[Kind.RESOURCE] and not surface.items[Kind.TEMPLATE]
    return not surface.items[kind]


def _holder(kind: Kind) -> str:
    return "resources" if kind is Kind.TEMPLATE else kind.collection


LEGACY: Final[tuple[Probe, ...]] = (
    Probe("before initialize", frozenset({Pattern.INITIALIZATION}), before_initialize),
    Probe("before initialized", frozenset({Pattern.INITIALIZATION}), before_initialized),
    Probe("a second initialize", frozenset({Pattern.INITIALIZATION}), twice),
    Probe("an unknown version", frozenset({Pattern.DOWNGRADE}), unknown_version),
    Probe("the oldest version", frozenset(), oldest_version),
    Probe("claimed features", frozenset({Pattern.FEATURE_GRANTS}), claims),
    *(Probe(f"as {name}", frozenset({Pattern.FEATURE_GRANTS}), names(name)) for name in NAMES),
)
MODERN: Final[tuple[Probe, ...]] = (
    Probe("claimed features, stateless", frozenset({Pattern.FEATURE_GRANTS}), modern_claims),
    *(
        Probe(f"as {name}, stateless", frozenset({Pattern.FEATURE_GRANTS}), modern_names(name))
        for name in NAMES
    ),
    Probe("versions, stateless", frozenset({Pattern.DOWNGRADE}), modern_versions),
    Probe("nothing about the client", frozenset({Pattern.INITIALIZATION}), modern_bare),
)
