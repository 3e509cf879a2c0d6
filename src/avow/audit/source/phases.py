"""Whether code makes sure that a session is active before it goes on."""

from collections.abc import Iterator

from avow.audit.source.code import (
    Call,
    Expression,
    Function,
    If,
    Item,
    Literal,
    Member,
    Name,
    Raise,
    Return,
    Statement,
    last_name,
    walk,
    walk_outside_functions,
)
from avow.audit.source.project import Project, Scope
from avow.audit.source.vocabulary import PHASE


def checks_phase(
    project: Project, scope: Scope, node: Expression | Statement, body: tuple[Statement, ...]
) -> bool:
    """Whether a handler, its decorators, what wraps it or what it calls first asks for the phase."""
    return (
        _is_wrapped(node)
        or any(_checks(project, scope, statement, 0) for statement in walk(*body))
        or _checked_before(project, scope, node)
    )


def _checked_before(project: Project, scope: Scope, node: Expression | Statement) -> bool:
    """Whether the function around a branch leaves before it, or the one that uses a table asks first."""
    start, end = node.span.start, node.span.end
    for function in scope.nodes:
        if not isinstance(function, Function):
            continue
        around = function.span.start < start and end <= function.span.end
        if around or _dispatches(function):
            for inner in walk_outside_functions(*function.body):
                is_before = not around or inner.span.end <= start
                if is_before and inner is not node and _checks(project, scope, inner, 0):
                    return True
    return False


def _dispatches(function: Function) -> bool:
    """`handlers[method](…)` or `handlers.get(method)`: what is called is looked up by the method."""
    return any(
        (isinstance(inner, Item) and "method" in {*words_in(inner.index)})
        or (
            isinstance(inner, Call)
            and last_name(inner.function) == "get"
            and any("method" in {*words_in(argument)} for argument in inner.arguments)
        )
        for inner in walk_outside_functions(*function.body)
    )


def _is_wrapped(node: Expression | Statement) -> bool:
    match node:
        case Function():
            return any(PHASE.search(last_name(_called(one))) for one in node.decorators)
        case Call():
            return any(
                isinstance(one, Call) and PHASE.search(last_name(one.function)) for one in node.arguments
            )
        case _:
            return False


def _checks(project: Project, scope: Scope, node: Expression | Statement, depth: int) -> bool:
    match node:
        case If(test=test, then=then, otherwise=otherwise):
            return _mentions_phase(test) and (_leaves(then) or _leaves(otherwise) or bool(otherwise))
        case Call(function=function):
            if PHASE.search(last_name(function)):
                return True
            resolved = project.function(scope, function) if depth < 2 else None
            return resolved is not None and any(
                _checks(project, resolved[0], inner, depth + 1) for inner in walk(*resolved[1].body)
            )
        case _:
            return False


def _mentions_phase(test: Expression) -> bool:
    return any(PHASE.search(word) for word in words_in(test))


def words_in(node: Expression | Statement) -> Iterator[str]:
    """The names and texts in an expression."""
    for inner in walk(node):
        match inner:
            case Name(name=name) | Member(name=name):
                yield name
            case Literal(value=str() as text):
                yield text
            case _:
                pass


def _leaves(body: tuple[Statement, ...]) -> bool:
    return any(isinstance(node, Raise | Return) for node in walk(*body))


def _called(decorator: Expression) -> Expression:
    return decorator.function if isinstance(decorator, Call) else decorator
