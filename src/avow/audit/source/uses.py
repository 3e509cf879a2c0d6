"""Where a server asks something of its client, and whether it looks first at what the client declared."""

from collections.abc import Iterator

from avow.audit.facts import ClientUse
from avow.audit.model import Level
from avow.audit.source.code import (
    Call,
    Choice,
    Expression,
    Function,
    If,
    Joined,
    Literal,
    Member,
    Name,
    Record,
    Statement,
    last_name,
    walk,
    walk_outside_functions,
)
from avow.audit.source.phases import words_in
from avow.audit.source.project import Project, Scope
from avow.audit.source.vocabulary import CAPABILITY_CHECK, CLIENT_CALLS, CLIENT_METHODS, PEERS


def uses(project: Project) -> Iterator[ClientUse]:
    """Every request to a client in the tree."""
    enforced = any(_enforces(scope) for scope in project)
    for scope in project:
        for holder in _functions(scope):
            for node in walk_outside_functions(*holder.body):
                if isinstance(node, Call) and (capability := _asked(node)) is not None:
                    checked = enforced or any(
                        _is_checked(project, scope, function, node, capability)
                        for function in _around(scope, holder, node)
                    )
                    yield ClientUse(capability, node.place, checked, Level.MEDIUM)


def _functions(scope: Scope) -> Iterator[Function]:
    yield from (node for node in scope.nodes if isinstance(node, Function))
    if scope.unit.body:
        yield Function(scope.unit.body[0].span, "", (), scope.unit.body)


def _around(scope: Scope, holder: Function, use: Call) -> Iterator[Function]:
    """The function that asks, and those around it: a tool may be registered only where the client can."""
    yield holder
    span = use.span
    for node in scope.nodes:
        is_around = isinstance(node, Function) and node.span.start < span.start and span.end <= node.span.end
        if is_around and node is not holder and isinstance(node, Function):
            yield node


def _asked(node: Call) -> str | None:
    name = last_name(node.function)
    if name in CLIENT_CALLS and isinstance(node.function, Member):
        return CLIENT_CALLS[name] if PEERS.search(_receiver(node.function)) else None
    if name in ("request", "sendRequest", "send_request", "send_raw_request"):
        for argument in node.arguments:
            for inner in walk(argument):
                if isinstance(inner, Literal) and inner.value in CLIENT_METHODS:
                    return CLIENT_METHODS[str(inner.value)]
    return None


def _receiver(function: Member) -> str:
    """The last name before the method: `server` in `this.server.createMessage`."""
    match function.object:
        case Name(name=name) | Member(name=name):
            return name
        case Call(function=inner):
            return last_name(inner).removeprefix("get_")
        case _:
            return ""


def _is_checked(
    project: Project, scope: Scope, function: Function, use: Expression | Statement, capability: str
) -> bool:
    """Whether the function looks at the capability before the use, itself or by a helper."""
    for node in walk_outside_functions(*function.body):
        if node.span.start > use.span.start:
            continue
        match node:
            case If(test=test) | Choice(test=test):
                if _looks_at(test, capability):
                    return True
            case Joined(left=left):
                if _looks_at(left, capability):
                    return True
            case Call(function=called) if node is not use and CAPABILITY_CHECK.search(last_name(called)):
                return True
            case Call(function=called) if node is not use:
                resolved = project.function(scope, called)
                if resolved and _helper_checks(resolved[1], capability):
                    return True
            case _:
                pass
    return False


def _helper_checks(function: Function, capability: str) -> bool:
    return any(isinstance(node, If) and _looks_at(node.test, capability) for node in walk(*function.body))


def _looks_at(test: Expression, capability: str) -> bool:
    return any(word == capability or CAPABILITY_CHECK.search(word) for word in words_in(test))


def _enforces(scope: Scope) -> bool:
    """The TypeScript SDK checks by itself where it is told to."""
    return any(
        isinstance(node, Record)
        and any(
            key == "enforceStrictCapabilities" and isinstance(value, Literal) and value.value is True
            for key, value in node.entries
        )
        for node in scope.nodes
    )
