"""Which servers a unit makes, which methods it answers, and which notifications it sends."""

import re
from collections.abc import Iterator
from typing import Final

from avow.audit.facts import Sent, Server
from avow.audit.source.answers import Answer, Registrations
from avow.audit.source.code import (
    Assign,
    Call,
    Class,
    Comparison,
    Expression,
    Function,
    If,
    Item,
    Literal,
    Member,
    Name,
    Other,
    Record,
    Statement,
    Switch,
    chain,
    last_name,
    walk,
)
from avow.audit.source.guards import Guards
from avow.audit.source.project import Project, Scope
from avow.audit.source.servers import made_elsewhere, server_class, server_made
from avow.audit.source.settling import settle
from avow.audit.source.vocabulary import (
    INITIALIZED,
    INITIALIZED_TYPES,
    LOW_LEVEL,
    METHODS,
    PEERS,
    REGISTRATIONS,
    REQUEST_TYPES,
    SENDERS,
)

_REGISTERING: Final = frozenset(
    {"setRequestHandler", "add_request_handler", "setNotificationHandler", "add_notification_handler"}
)
# A server is handed to these, and they register nothing.
_HARMLESS: Final = re.compile(r"(?i)transport|connect|log|print|run|serve|close|exit|guard|isinstance|signal")


def registrations(project: Project) -> Registrations:
    """Go through every unit."""
    found, guards = Registrations(), Guards(project)
    for scope in project:
        for node in scope.nodes:
            match node:
                case Call():
                    _call(project, scope, node, found, guards)
                case Class():
                    _subclass(project, scope, node, found, guards)
                case Function():
                    _decorated(scope, node, found)
                case Assign(target=Item(index=index), value=value):
                    _registered(project, scope, node, index, value, found)
                case Assign(target=Member(name="oninitialized"), value=value):
                    _answer(project, scope, INITIALIZED, node, value, found)
                case If(test=test, then=then):
                    for method in _compared(test):
                        found.answers.append(Answer(method, scope, node, None, then, is_branch=True))
                case Switch():
                    _switched(scope, node, found)
                case Record():
                    _dispatched(project, scope, node, found)
                case _:
                    pass
    settle(project, found)
    return found


def _call(project: Project, scope: Scope, node: Call, found: Registrations, guards: Guards) -> None:
    name = _called(scope, node.function)
    if framework := server_made(project, scope, node):
        found.servers.append(Server(framework, node.place, guards.cover(scope, node)))
        found.constructed.append((scope, node))
        for parameter, value in node.named:
            if parameter.startswith("on_") and (method := LOW_LEVEL.get(parameter.removeprefix("on_"))):
                _answer(project, scope, method, node, value, found)
    elif name in _REGISTERING:
        if len(node.arguments) > 1:
            _registered(project, scope, node, node.arguments[0], node.arguments[-1], found)
    elif name in SENDERS:
        found.sent.append(Sent(SENDERS[name], node.place))
    elif name in ("notification", "sendNotification", "send_notification", "notify", "send_raw_notification"):
        for text in _texts(node):
            if text.startswith("notifications/"):
                found.sent.append(Sent(text, node.place))
    elif name in REGISTRATIONS and isinstance(node.function, Member) and node.arguments:
        _framework(scope, node, name, found)
    elif module := made_elsewhere(project, scope, node.function):
        found.elsewhere.add(module)
    elif not found.is_dynamic and _hands_over(project, scope, node):
        found.is_dynamic = True


def _hands_over(project: Project, scope: Scope, node: Call) -> bool:
    """Whether a server goes to a function from outside of the tree, which may register handlers."""
    root, _ = chain(node.function)
    if not isinstance(root, Name) or root.name not in scope.unit.imports or not node.arguments:
        return False
    if _HARMLESS.search(last_name(node.function)) or project.modules.find(
        scope.path, scope.unit.imports[root.name]
    ):
        return False
    for argument in node.arguments:
        _, value = project.value(scope, argument) if isinstance(argument, Name | Member) else (scope, None)
        if isinstance(value, Call) and server_made(project, scope, value):
            return True
    return False


def _subclass(project: Project, scope: Scope, node: Class, found: Registrations, guards: Guards) -> None:
    """A class that extends a server: what it hands to its base makes the server."""
    framework = server_class(project, scope, node)
    if framework is None:
        for base in node.bases:
            if module := made_elsewhere(project, scope, base):
                found.elsewhere.add(module)
        return
    found.servers.append(Server(framework, node.place, guards.cover(scope, node)))
    for inner in walk(*node.body):
        if isinstance(inner, Call) and _is_super(inner.function):
            found.constructed.append((scope, inner))


def _is_super(function: Expression) -> bool:
    match function:
        case Name(name="super"):
            return True
        case Member(object=Call(function=Name(name="super")), name="__init__"):
            return True
        case _:
            return False


def _decorated(scope: Scope, function: Function, found: Registrations) -> None:
    for decorator in function.decorators:
        target = decorator.function if isinstance(decorator, Call) else decorator
        if not isinstance(target, Member):
            continue
        if target.name in LOW_LEVEL:
            method = LOW_LEVEL[target.name]
            found.answers.append(Answer(method, scope, function, function, function.body))
        elif target.name in REGISTRATIONS:
            for method in REGISTRATIONS[target.name]:
                found.answers.append(
                    Answer(method, scope, function, function, function.body, by_framework=True)
                )


def _framework(scope: Scope, node: Call, name: str, found: Registrations) -> None:
    first = node.arguments[0]
    # `x.tool("name", …)`, `x.addTool({name: …})`, `x.add_tool(function)`; not every `x.resource(y)`.
    is_one = isinstance(first, Literal | Record) or name.startswith(("register", "add"))
    if is_one or (len(node.arguments) > 1 and PEERS.search(_receiver(node.function))):
        for method in REGISTRATIONS[name]:
            found.answers.append(Answer(method, scope, node, None, (), by_framework=True))


def _receiver(function: Expression) -> str:
    return last_name(function.object) if isinstance(function, Member) else ""


def _registered(
    project: Project,
    scope: Scope,
    node: Expression | Statement,
    key: Expression,
    value: Expression,
    found: Registrations,
) -> None:
    """A handler under a key: a type of the SDK, or the method as text."""
    _, meant = project.value(scope, key)
    match meant:
        case Literal(value=str() as method):
            pass
        case _:
            name = _type_name(scope, key) or _type_name(scope, meant)
            method = INITIALIZED if name in INITIALIZED_TYPES else REQUEST_TYPES.get(name, "")
    if method:
        _answer(project, scope, method, node, value, found)
    elif (
        isinstance(node, Call) and isinstance(key, Name) and not key.name.endswith(("Schema", "Notification"))
    ):
        found.is_dynamic = True


def _type_name(scope: Scope, key: Expression) -> str:
    """What a type of the SDK is called there, whatever it is called here: `InitializeRequest as Init`."""
    imported = scope.unit.imports.get(key.name) if isinstance(key, Name) else None
    name = imported.name if imported is not None and imported.name else last_name(key)
    return name if name in REQUEST_TYPES or name in INITIALIZED_TYPES else ""


def _called(scope: Scope, function: Expression) -> str:
    """What is called, also by another name: `const register = server.setRequestHandler.bind(server)`."""
    name = last_name(function)
    if not isinstance(function, Name):
        return name
    match scope.constants.get(name):
        case Call(function=Member(name="bind", object=Member(name=meant))) | Member(name=meant):
            return meant if meant in _REGISTERING else name
        case _:
            return name


def _answer(
    project: Project,
    scope: Scope,
    method: str,
    node: Expression | Statement,
    value: Expression,
    found: Registrations,
) -> None:
    resolved = project.function(scope, value)
    inner = value
    if resolved is None and isinstance(value, Call):
        # A wrapped handler: `guarded(handler)`; the wrapper is part of the node, which is looked at too.
        for argument in value.arguments:
            if resolved := project.function(scope, argument):
                inner = argument
                break
    if resolved is None:
        found.answers.append(Answer(method, scope, node, None, ()))
        return
    home, function = resolved
    where = node if inner is not value or isinstance(value, Function) else function
    found.answers.append(Answer(method, home, where if home is scope else function, function, function.body))


def _compared(test: Expression) -> Iterator[str]:
    """The methods that a test compares something with: `if method == "tools/list"`."""
    for node in walk(test):
        if isinstance(node, Comparison) and node.operator == "==":
            for side in (node.left, node.right):
                if isinstance(side, Literal) and side.value in METHODS:
                    yield str(side.value)


def _switched(scope: Scope, node: Switch, found: Registrations) -> None:
    for values, body in node.cases:
        for value in values:
            for inner in walk(value):
                if isinstance(inner, Literal) and inner.value in METHODS and body:
                    answer = Answer(str(inner.value), scope, body[0], None, body, is_branch=True)
                    found.answers.append(answer)


def _dispatched(project: Project, scope: Scope, node: Record, found: Registrations) -> None:
    """A table from methods to functions."""
    for key, value in node.entries:
        if key in METHODS and not isinstance(value, Literal | Record):
            _answer(project, scope, key or "", value, value, found)
        elif key == "" and isinstance(value, Other) and len(value.parts) > 1:
            name = _type_name(scope, value.parts[0])
            if name in REQUEST_TYPES:
                _answer(project, scope, REQUEST_TYPES[name], value, value.parts[1], found)


def _texts(node: Call) -> Iterator[str]:
    for inner in walk(*node.arguments, *(value for _, value in node.named)):
        if isinstance(inner, Literal) and isinstance(inner.value, str):
            yield inner.value
