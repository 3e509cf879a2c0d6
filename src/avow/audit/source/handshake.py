"""How a server negotiates versions, when it calls a session active, and what it keeps of it."""

import re
from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Initialized, Negotiation, SessionState
from avow.audit.model import Place
from avow.audit.source.answers import Registrations
from avow.audit.source.code import (
    Assign,
    Block,
    Call,
    Choice,
    Comparison,
    Delete,
    Evaluate,
    Expression,
    If,
    Item,
    Joined,
    Literal,
    Member,
    Name,
    Node,
    Record,
    Return,
    Statement,
    Switch,
    last_name,
    walk,
    walk_outside_functions,
)
from avow.audit.source.phases import Phases, words_in
from avow.audit.source.project import Project, Scope, reached
from avow.audit.source.vocabulary import (
    ACTIVE,
    FORGETTING,
    INITIALIZED,
    LOGS,
    NOT_PROTOCOL,
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
                allows=_is_allowing(project, nodes),
                orders=next((place for scope, node in nodes if (place := _ordered(scope, node))), None),
                logs=any(_logs(node) for _, node in nodes),
                answers=_versions(project, nodes),
            )


def allows_versions(project: Project, scope: Scope, body: tuple[Statement, ...]) -> bool:
    """Whether a function holds a version against those it knows."""
    return _is_allowing(project, list(reached(project, scope, body)))


def allows_versions_itself(project: Project, scope: Scope, body: tuple[Statement, ...]) -> bool:
    """The same, without a look into the functions that it calls."""
    return _is_allowing(project, [(scope, node) for node in walk(*body)])


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


def _is_allowing(project: Project, nodes: list[tuple[Scope, Node]]) -> bool:
    """Whether a version is held against a list, and something depends on what comes of it."""
    deciding = [(scope, test) for scope, node in nodes for test in _tests(node)]
    named = {word for _, test in deciding for word in words_in(test)}
    for scope, node in nodes:
        if isinstance(node, Assign) and last_name(node.target) in named:
            deciding.append((scope, node.value))
    return any(
        _allows(project, scope, inner) for scope, test in deciding for inner in walk_outside_functions(test)
    )


def _tests(node: Node) -> Iterator[Expression]:
    """What decides something: a log line does not."""
    match node:
        case If(test=test) | Choice(test=test):
            yield test
        case Joined(left=left):
            yield left
        case Switch(subject=subject):
            yield subject
        case Return(value=value) if value is not None:
            yield value
        case Block(expressions=expressions):
            yield from expressions
        case Evaluate(value=Call(function=function) as call) if not any(map(LOGS.search, words_in(function))):
            yield call
        case _:
            pass


def _allows(project: Project, scope: Scope, node: Expression | Statement) -> bool:
    """A membership test: in a list, by `includes` or `has`, or as a key."""
    match node:
        case Comparison(operator="in" | "not in", left=left, right=right):
            return _is_list_of_versions(project, scope, left, right)
        case Comparison(operator="==" | "!=", left=left, right=right):
            sides = (left, right)
            is_version = any(_is_version(scope, side) for side in sides)
            return is_version and any(_is_constant(scope, side) for side in sides)
        case Call(function=Member(name="includes" | "has", object=holder), arguments=(argument, *_)):
            return _is_list_of_versions(project, scope, argument, holder)
        case _:
            return False


def _is_list_of_versions(project: Project, scope: Scope, one: Expression, several: Expression) -> bool:
    """By the names of both, or by what stands in the list."""
    if _is_version(scope, one) and any(map(SUPPORTED.search, words_in(several))):
        return True
    if "version" in last_name(several).lower() and not any(map(NOT_PROTOCOL.search, words_in(one))):
        return True
    return any(map(_DATED.match, project.texts(scope, several)))


def _ordered(scope: Scope, node: Expression | Statement) -> Place | None:
    if isinstance(node, Comparison) and node.operator in _ORDERS:
        sides = (node.left, node.right)
        return node.place if any(_is_version(scope, side) for side in sides) else None
    return None


def _is_version(scope: Scope, node: Expression) -> bool:
    """Whether it is called a version, and is not that of the client, of a program or of a package."""
    name = last_name(node)
    if "version" not in name.lower() or name.isupper():
        return False
    held = scope.constants.get(name) if isinstance(node, Name) else None
    words = words_in(held if isinstance(held, Member) else node)
    return not any(map(NOT_PROTOCOL.search, words))


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
