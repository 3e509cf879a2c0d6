"""What a server declares, against what it has: methods that are missing, and methods nobody announced."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from avow.audit.live import rules
from avow.audit.live.probe import Known, UnansweredError
from avow.audit.live.surface import Surface
from avow.audit.live.talk import METHOD_NOT_FOUND, Talk
from avow.audit.model import Finding, Level
from avow.core.canonical import JsonObject
from avow.core.capability import Kind

_NOWHERE: Final = "avow-audit://nowhere"


@dataclass(frozen=True, slots=True)
class _Method:
    """A method that belongs to a capability, with parameters that ask for nothing that exists."""

    capability: str
    name: str
    params: JsonObject = field(default_factory=dict, hash=False)


_COMPLETION: Final[JsonObject] = {
    "ref": {"type": "ref/prompt", "name": _NOWHERE},
    "argument": {"name": "nothing", "value": ""},
}
# Capabilities of clients that some servers declare as theirs are methods that no server has.
_IN_BOTH_ERAS: Final = (
    _Method("completions", "completion/complete", _COMPLETION),
    _Method("sampling", "sampling/createMessage", {"messages": [], "maxTokens": 1}),
    _Method("roots", "roots/list"),
    _Method("elicitation", "elicitation/create", {"message": "", "requestedSchema": {"type": "object"}}),
)
_IN_SESSIONS: Final = (
    *_IN_BOTH_ERAS,
    _Method("logging", "logging/setLevel", {"level": "error"}),
    _Method("resources.subscribe", "resources/subscribe", {"uri": _NOWHERE}),
    _Method("tasks.list", "tasks/list"),
)


def judge_declaration(talk: Talk, known: Known, params: JsonObject | None = None) -> Iterator[Finding]:
    """Judge what an ordinary session showed; the talk is the one it was seen in, which goes on."""
    for kind in Kind:
        yield from _judge_list(talk, known.surface, kind)
    methods = _IN_SESSIONS if params is None else _IN_BOTH_ERAS
    asked = {method: talk.ask(method.name, {**(params or {}), **method.params}) for method in methods}
    talk.settle(asked.values())
    for method, number in asked.items():
        yield from _judge_method(talk, known.surface, method, number)
    if any(known.surface.declares(kind) and not known.surface.replies[kind].came for kind in Kind):
        raise UnansweredError


def _judge_list(talk: Talk, surface: Surface, kind: Kind) -> Iterator[Finding]:
    reply, method, proof = surface.replies[kind], kind.list_method, talk.proof(surface.asked[kind])
    holder = "resources" if kind is Kind.TEMPLATE else kind.collection
    if surface.declares(kind) and reply.code == METHOD_NOT_FOUND:
        # The specification does not say that whoever has resources has templates, too.
        severity = Level.LOW if kind is Kind.TEMPLATE else None
        message = f"declares {holder}, and does not know {method}"
        yield rules.DECLARED_MISSING.finding(message, severity=severity, evidence=proof)
    elif surface.declares(kind) and reply.result is not None and _is_empty(surface, kind):
        # A list that is announced to change may have something in it later.
        severity = Level.LOW if _says(surface.capabilities, f"{holder}.listChanged") else None
        message = f"declares {holder}, and has none"
        yield rules.DECLARED_EMPTY.finding(
            message, severity=severity, confidence=Level.MEDIUM, evidence=proof
        )
    elif not surface.declares(kind) and reply.result is not None:
        message = f"answers {method}, and does not declare {holder}"
        severity = None if surface.items[kind] else Level.LOW
        yield rules.UNDECLARED_SERVED.finding(message, severity=severity, evidence=proof)


def _judge_method(talk: Talk, surface: Surface, method: _Method, number: int) -> Iterator[Finding]:
    is_declared, reply = _says(surface.capabilities, method.capability), talk.reply(number)
    if is_declared and reply.code == METHOD_NOT_FOUND:
        message = f"declares {method.capability}, and does not know {method.name}"
        yield rules.DECLARED_MISSING.finding(message, evidence=talk.proof(number))
    elif not is_declared and reply.result is not None:
        message = f"answers {method.name}, and does not declare {method.capability}"
        yield rules.UNDECLARED_SERVED.finding(message, severity=Level.LOW, evidence=talk.proof(number))


def _says(capabilities: JsonObject, path: str) -> bool:
    """Whether a capability, or a part of one, is declared."""
    holder: object = capabilities
    for name in path.split("."):
        if not isinstance(holder, dict) or name not in holder:
            return False
        holder = holder[name]
    return holder not in (False, None)


def _is_empty(surface: Surface, kind: Kind) -> bool:
    """Whether a kind has nothing; resources and templates share a capability, and one of them is enough."""
    if kind is Kind.TEMPLATE:
        return False
    if kind is Kind.RESOURCE and surface.items[Kind.TEMPLATE]:
        return False
    return not surface.items[kind]
