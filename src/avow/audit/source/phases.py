"""Whether code makes sure that a session is active before it goes on."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from avow.audit.source.code import (
    Call,
    Expression,
    Function,
    If,
    Item,
    Literal,
    Member,
    Name,
    Node,
    Raise,
    Return,
    Statement,
    last_name,
    walk,
    walk_outside_functions,
)
from avow.audit.source.project import Project, Scope
from avow.audit.source.vocabulary import OTHERS, PHASE, SESSION_LIKE


class Phases:
    """Who asks for the phase in a project; each function is looked at once."""

    def __init__(self, project: Project) -> None:
        """Nothing is looked at before somebody asks."""
        self._project = project
        self._asking: dict[int, bool] = {}
        self._around: dict[str, _Checking] = {}

    def checked(self, scope: Scope, node: Node, body: tuple[Statement, ...]) -> bool:
        """Whether a handler, its decorators, what wraps it or what it calls first asks for the phase."""
        return (
            _is_wrapped(node)
            or any(self._checks(scope, inner, 0) for inner in walk(*body))
            or self._checked_before(scope, node)
        )

    def _checks(self, scope: Scope, node: Node, depth: int) -> bool:
        match node:
            case If(test=test, then=then, otherwise=otherwise):
                return _mentions_phase(scope, test) and (
                    _leaves(then) or _leaves(otherwise) or bool(otherwise)
                )
            case Call(function=function):
                if PHASE.search(last_name(function)) and not _is_of_something_else(node):
                    return True
                resolved = self._project.function(scope, function) if depth < 2 else None
                return resolved is not None and self._asks(*resolved, depth + 1)
            case _:
                return False

    def _asks(self, scope: Scope, function: Function, depth: int) -> bool:
        if id(function) not in self._asking:
            # While it is looked at, and should it call itself, it does not ask.
            self._asking[id(function)] = False
            found = any(self._checks(scope, inner, depth) for inner in walk(*function.body))
            self._asking[id(function)] = found
        return self._asking[id(function)]

    def _checked_before(self, scope: Scope, node: Node) -> bool:
        """Whether the function around a branch leaves before it, or the one that uses a table asks first."""
        checking = self._checking(scope)
        if checking.dispatches:
            return True
        start = node.span.start
        return any(
            check is not node and check.span.end <= start
            for function in scope.nesting.around(node)
            if function is not node
            for check in checking.where.get(id(function), ())
        )

    def _checking(self, scope: Scope) -> "_Checking":
        """The functions of a unit that ask for the phase, and where they do."""
        if scope.path not in self._around:
            found = self._around[scope.path] = _Checking()
            for function in scope.nodes:
                if isinstance(function, Function):
                    inside = list(walk_outside_functions(*function.body))
                    checks = [inner for inner in inside if self._checks(scope, inner, 1)]
                    found.dispatches |= bool(checks) and any(map(_dispatches, inside))
                    if checks:
                        found.where[id(function)] = checks
        return self._around[scope.path]


@dataclass(slots=True)
class _Checking:
    """Where the functions of a unit ask for the phase; and whether one does that looks handlers up."""

    where: dict[int, list[Node]] = field(default_factory=dict)
    dispatches: bool = False


def words_in(node: Node) -> Iterator[str]:
    """The names and texts in an expression."""
    for inner in walk(node):
        match inner:
            case Name(name=name) | Member(name=name):
                yield name
            case Literal(value=str() as text):
                yield text
            case _:
                pass


def _dispatches(node: Node) -> bool:
    """`handlers[method](…)` or `handlers.get(method)`: what is called is looked up by the method."""
    match node:
        case Item(index=index):
            return "method" in {*words_in(index)}
        case Call(function=Member(name="get"), arguments=(first, *_)):
            return "method" in {*words_in(first)}
        case _:
            return False


def _is_wrapped(node: Node) -> bool:
    match node:
        case Function():
            return any(PHASE.search(last_name(_called(one))) for one in node.decorators)
        case Call():
            return any(
                isinstance(one, Call) and PHASE.search(last_name(one.function)) for one in node.arguments
            )
        case _:
            return False


def _mentions_phase(scope: Scope, test: Expression) -> bool:
    """Whether a test asks for the phase of a session; a database can be initialized, too."""
    for node in walk(test):
        match node:
            case Member(object=holder, name=name) if PHASE.search(name) and not OTHERS.search(name):
                if _is_session(scope, holder):
                    return True
            case Name(name=name) if PHASE.search(name) and not OTHERS.search(name):
                return True
            case Literal(value=str() as text) if PHASE.search(text):
                return True
            case _:
                pass
    return False


def _is_session(scope: Scope, holder: Expression) -> bool:
    if not isinstance(holder, Name):
        return not any(map(OTHERS.search, words_in(holder)))
    if SESSION_LIKE.search(holder.name) and not OTHERS.search(holder.name):
        return True
    held = scope.constants.get(holder.name)
    return held is not None and any(map(SESSION_LIKE.search, words_in(held)))


def _is_of_something_else(node: Call) -> bool:
    """`isReady(cache)`, `database.ensureReady()`: what is ready there is no session."""
    receiver = node.function.object if isinstance(node.function, Member) else None
    parts = [one for one in (receiver, *node.arguments) if isinstance(one, Name | Member)]
    return any(OTHERS.search(word) for part in parts for word in words_in(part))


def _leaves(body: tuple[Statement, ...]) -> bool:
    return any(isinstance(node, Raise | Return) for node in walk(*body))


def _called(decorator: Expression) -> Expression:
    return decorator.function if isinstance(decorator, Call) else decorator
