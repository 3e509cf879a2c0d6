"""How a server negotiates versions, when it calls a session active, and what it keeps of it."""

from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Initialized, Negotiation, SessionState
from avow.audit.model import Place
from avow.audit.source.code import (
    Assign,
    Call,
    Comparison,
    Delete,
    Expression,
    If,
    Item,
    Literal,
    Member,
    Name,
    Record,
    Statement,
    last_name,
    walk,
)
from avow.audit.source.phases import checks_phase, words_in
from avow.audit.source.project import Project, Scope
from avow.audit.source.registrations import Registrations
from avow.audit.source.vocabulary import FORGETTING, INITIALIZED, LOGS, SESSIONS, SUPPORTED

_VERSION: Final = frozenset({"protocolVersion", "protocol_version"})
_ORDERS: Final = frozenset({"<", "<=", ">", ">="})
_PUTS: Final = frozenset({"set", "setdefault", "add"})
_TAKES: Final = frozenset({"delete", "pop", "clear", "popitem", "discard", "remove"})
_DEEPEST: Final = 2


def negotiations(project: Project, found: Registrations) -> Iterator[Negotiation]:
    """How each handler of `initialize` treats the version."""
    for answer in found.answers:
        if answer.method == "initialize" and answer.body:
            nodes = list(_reached(project, answer.scope, answer.body, 0))
            yield Negotiation(
                answer.node.place,
                looks=any(_reads_version(node) for _, node in nodes),
                allows=any(_allows(scope, node) for scope, node in nodes),
                orders=next((place for _, node in nodes if (place := _ordered(node))), None),
                logs=any(_logs(node) for _, node in nodes),
                answers=_versions(project, nodes),
            )


def allows_versions(project: Project, scope: Scope, body: tuple[Statement, ...]) -> bool:
    """Whether a function holds a version against those it knows."""
    return any(_allows(home, node) for home, node in _reached(project, scope, body, 0))


def initialized(project: Project, found: Registrations) -> Iterator[Initialized]:
    """The handlers of `notifications/initialized` that change something."""
    for answer in found.answers:
        if answer.method == INITIALIZED and any(_changes(node) for node in walk(*answer.body)):
            checked = checks_phase(project, answer.scope, answer.node, answer.body)
            yield Initialized(answer.node.place, checked)


def session_states(project: Project) -> Iterator[SessionState]:
    """Mappings that the tree keeps about sessions."""
    for scope in project:
        grown: dict[str, Place] = {}
        released: set[str] = set()
        for node in scope.nodes:
            _follow(node, grown, released)
        for name, place in grown.items():
            made = scope.constants.get(name) or scope.fields.get(name)
            if made is not None and SESSIONS.search(name) and _is_mapping(made):
                yield SessionState(place, name in released)


def _follow(node: Expression | Statement, grown: dict[str, Place], released: set[str]) -> None:
    match node:
        case Assign(target=Item(object=holder)):
            grown.setdefault(last_name(holder), node.place)
        case Call(function=Member(object=holder, name=name)) if name in _PUTS and node.arguments:
            grown.setdefault(last_name(holder), node.place)
        case Call(function=Member(object=holder, name=name)) if name in _TAKES:
            released.add(last_name(holder))
        case Delete(target=Item(object=holder) | Member(object=holder)):
            released.add(last_name(holder))
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


def _reached(
    project: Project, scope: Scope, body: tuple[Statement, ...], depth: int
) -> Iterator[tuple[Scope, Expression | Statement]]:
    """The nodes of a body and of the functions that it calls."""
    for node in walk(*body):
        yield scope, node
        if isinstance(node, Call) and depth < _DEEPEST:
            resolved = project.function(scope, node.function)
            if resolved is not None:
                yield from _reached(project, resolved[0], resolved[1].body, depth + 1)


def _reads_version(node: Expression | Statement) -> bool:
    return isinstance(node, Member) and node.name in _VERSION


def _allows(scope: Scope, node: Expression | Statement) -> bool:
    """A membership test: in a list, by `includes` or `has`, or as a key."""
    match node:
        case Comparison(operator="in" | "not in", left=left, right=right):
            return _is_version(left) and any(map(SUPPORTED.search, words_in(right)))
        case Comparison(operator="==" | "!=", left=left, right=right):
            sides = (left, right)
            return any(map(_is_version, sides)) and any(_is_constant(scope, side) for side in sides)
        case Call(function=Member(name="includes" | "has", object=holder), arguments=(argument, *_)):
            return _is_version(argument) and any(map(SUPPORTED.search, words_in(holder)))
        case _:
            return False


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
            case Comparison(operator="in" | "not in", right=holder) if _allows(scope, node):
                return project.texts(scope, holder)
            case Call(function=Member(object=holder)) if _allows(scope, node):
                return project.texts(scope, holder)
            case _:
                pass
    return ()


def _changes(node: Expression | Statement) -> bool:
    match node:
        case Assign():
            return True
        case Call(function=Member(name=name)):
            return name in _PUTS
        case If():
            return False
        case _:
            return False
