"""How a server negotiates versions, when it calls a session active, and what it keeps of it."""

import re
from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Initialized, Negotiation, SessionState
from avow.audit.model import Place
from avow.audit.source.answers import Registrations
from avow.audit.source.code import (
    Assign,
    Call,
    Comparison,
    Delete,
    Expression,
    Item,
    Literal,
    Member,
    Name,
    Record,
    Statement,
    last_name,
    walk,
)
from avow.audit.source.phases import Phases, words_in
from avow.audit.source.project import Project, Scope, reached
from avow.audit.source.vocabulary import (
    ACTIVE,
    FORGETTING,
    INITIALIZED,
    LOGS,
    SESSION_ID,
    SESSION_STATE,
    SUPPORTED,
)

_VERSION: Final = frozenset({"protocolVersion", "protocol_version"})
_ORDERS: Final = frozenset({"<", "<=", ">", ">="})
_PUTS: Final = frozenset({"set", "setdefault", "add"})
_TAKES: Final = frozenset({"delete", "pop", "clear", "popitem", "discard", "remove"})
_DATED: Final = re.compile(r"20\d\d-\d\d-\d\d$")


def negotiations(project: Project, found: Registrations) -> Iterator[Negotiation]:
    """How each handler of `initialize` treats the version."""
    for answer in found.answers:
        if answer.method == "initialize" and answer.body and not answer.delegates:
            nodes = list(reached(project, answer.scope, answer.body))
            yield Negotiation(
                answer.node.place,
                looks=any(_reads_version(node) or _hands_on(project, scope, node) for scope, node in nodes),
                allows=any(_allows(project, scope, node) for scope, node in nodes),
                orders=next((place for _, node in nodes if (place := _ordered(node))), None),
                logs=any(_logs(node) for _, node in nodes),
                answers=_versions(project, nodes),
            )


def allows_versions(project: Project, scope: Scope, body: tuple[Statement, ...]) -> bool:
    """Whether a function holds a version against those it knows."""
    return any(_allows(project, home, node) for home, node in reached(project, scope, body))


def allows_versions_itself(project: Project, scope: Scope, body: tuple[Statement, ...]) -> bool:
    """The same, without a look into the functions that it calls."""
    return any(_allows(project, scope, node) for node in walk(*body))


def initialized(phases: Phases, found: Registrations) -> Iterator[Initialized]:
    """The handlers of `notifications/initialized` that change something."""
    for answer in found.answers:
        if answer.method == INITIALIZED and any(_activates(node) for node in walk(*answer.body)):
            checked = phases.checked(answer.scope, answer.node, answer.body)
            yield Initialized(answer.node.place, checked)


def session_states(project: Project) -> Iterator[SessionState]:
    """Mappings that the tree keeps about sessions."""
    released = {name for scope in project for node in scope.nodes for name in _released(node)}
    for scope in project:
        grown: dict[str, Place] = {}
        for node in scope.nodes:
            match node:
                case Assign(target=Item(object=holder, index=key)):
                    _grown(grown, holder, key, node)
                case Call(function=Member(object=holder, name=name), arguments=(key, *_)) if name in _PUTS:
                    _grown(grown, holder, key, node)
                case _:
                    pass
        for name, place in grown.items():
            made = scope.constants.get(name) or scope.fields.get(name)
            if made is not None and _is_mapping(made):
                yield SessionState(place, name in released)


def _grown(
    grown: dict[str, Place], holder: Expression, key: Expression, node: Expression | Statement
) -> None:
    name = last_name(holder)
    by_session = any(map(SESSION_ID.search, words_in(key)))
    if not isinstance(key, Literal) and (by_session or SESSION_STATE.search(name)) and name not in grown:
        grown[name] = node.place


def _released(node: Expression | Statement) -> Iterator[str]:
    match node:
        case Call(function=Member(object=holder, name=name)) if name in _TAKES:
            yield last_name(holder)
        case Delete(target=Item(object=holder) | Member(object=holder)):
            yield last_name(holder)
        case _:
            pass


def _is_mapping(made: Expression) -> bool:
    match made:
        case Record():
            return True
        case Call(function=function):
            name = last_name(function)
            return name in ("Map", "dict", "defaultdict", "OrderedDict") and not FORGETTING.search(name)
        case _:
            return False


def _reads_version(node: Expression | Statement) -> bool:
    return isinstance(node, Member) and node.name in _VERSION


def _hands_on(project: Project, scope: Scope, node: Expression | Statement) -> bool:
    """The whole parameters go to something that we cannot see."""
    if not isinstance(node, Call) or project.function(scope, node.function) is not None:
        return False
    if any(map(LOGS.search, words_in(node.function))):
        return False
    return any(last_name(argument) in ("params", "request") for argument in node.arguments)


def _allows(project: Project, scope: Scope, node: Expression | Statement) -> bool:
    """A membership test: in a list, by `includes` or `has`, or as a key."""
    match node:
        case Comparison(operator="in" | "not in", left=left, right=right):
            return _is_list_of_versions(project, scope, left, right)
        case Comparison(operator="==" | "!=", left=left, right=right):
            sides = (left, right)
            return any(map(_is_version, sides)) and any(_is_constant(scope, side) for side in sides)
        case Call(function=Member(name="includes" | "has", object=holder), arguments=(argument, *_)):
            return _is_list_of_versions(project, scope, argument, holder)
        case _:
            return False


def _is_list_of_versions(project: Project, scope: Scope, one: Expression, several: Expression) -> bool:
    """By the names of both, or by what stands in the list."""
    if _is_version(one) and any(map(SUPPORTED.search, words_in(several))):
        return True
    if "version" in last_name(several).lower():
        return True
    return any(map(_DATED.match, project.texts(scope, several)))


def _ordered(node: Expression | Statement) -> Place | None:
    if isinstance(node, Comparison) and node.operator in _ORDERS:
        return node.place if _is_version(node.left) or _is_version(node.right) else None
    return None


def _is_version(node: Expression) -> bool:
    name = last_name(node)
    return "version" in name.lower() and not name.isupper()


def _is_constant(scope: Scope, node: Expression) -> bool:
    match node:
        case Literal(value=str()):
            return True
        case Name(name=name):
            return name.isupper() or name in scope.constants
        case _:
            return False


def _logs(node: Expression | Statement) -> bool:
    return isinstance(node, Call) and any(map(LOGS.search, words_in(node.function)))


def _versions(project: Project, nodes: list[tuple[Scope, Expression | Statement]]) -> tuple[str, ...]:
    """The versions that are written where a version is allowed."""
    for scope, node in nodes:
        match node:
            case Comparison(operator="in" | "not in", right=holder) if _allows(project, scope, node):
                return project.texts(scope, holder)
            case Call(function=Member(object=holder)) if _allows(project, scope, node):
                return project.texts(scope, holder)
            case _:
                pass
    return ()


def _activates(node: Expression | Statement) -> bool:
    """Something that is called a phase, or active, or ready, is changed."""
    match node:
        case Assign(target=target):
            return any(map(ACTIVE.search, words_in(target)))
        case Call(function=Member(name=name, object=holder)) if name in _PUTS:
            return any(map(ACTIVE.search, (*words_in(holder), *_texts_of(node))))
        case _:
            return False


def _texts_of(node: Call) -> Iterator[str]:
    return (word for argument in node.arguments for word in words_in(argument))
