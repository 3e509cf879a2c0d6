"""Which handlers answer `initialize` themselves, and which servers are nobody's but the tree's."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from avow.audit.facts import Framework, Server
from avow.audit.source.answers import Answer, Registrations
from avow.audit.source.code import Call, Member, Name, Node, Record, last_name, walk
from avow.audit.source.project import Project, Scope, reached

# What is in an answer to `initialize`, and in nothing that only looks at the question.
_ANSWERS: Final = frozenset({"serverInfo", "server_info", "InitializeResult"})
_RESULT: Final = frozenset({"protocolVersion", "capabilities", "serverInfo"})
_LISTS: Final = frozenset({"tools/list", "prompts/list", "resources/list"})
_DELEGATES: Final = frozenset({"_oninitialize", "oninitialize"})
# How much code behind handlers of `initialize` is followed, all of them together.
_MOST_NODES: Final = 1_000_000


def settle(project: Project, found: Registrations) -> None:
    """Keep the handlers of `initialize` that answer it: others only look at it, or hand it on."""
    kept: list[Answer] = []
    left = _MOST_NODES
    for answer in found.answers:
        if answer.method == "initialize" and answer.body:
            nodes = list(islice(reached(project, answer.scope, answer.body), left))
            left -= len(nodes)
            if left <= 0:
                found.is_cut = True
                continue
            answer.delegates = any(_delegates(scope, node) for scope, node in nodes)
            if answer.is_branch and not any(_is_result(node) for _, node in nodes):
                continue
        kept.append(answer)
    if not any(answer.method == "initialize" for answer in kept) and not found.servers:
        kept.extend(_results(project))
    found.answers[:] = kept
    if not found.servers:
        _own(found)


def _results(project: Project) -> Iterator[Answer]:
    """Functions that make the answer to `initialize`, whoever calls them."""
    for scope in project:
        for node in scope.nodes:
            if isinstance(node, Record) and {key for key, _ in node.entries} >= _RESULT:
                for function in islice(scope.nesting.around(node), 1):
                    yield Answer("initialize", scope, function, function, function.body)


def _is_result(node: Node) -> bool:
    match node:
        case Record(entries=entries):
            return any(key in _ANSWERS for key, _ in entries)
        case Call(function=function, named=named):
            return last_name(function) in _ANSWERS or any(key in _ANSWERS for key, _ in named)
        case _:
            return False


def _delegates(scope: Scope, node: Node) -> bool:
    """The SDK's own handler is used, perhaps by another name: `before = server._oninitialize.bind(…)`."""
    match node:
        case Member(name=name):
            return name in _DELEGATES
        case Name(name=name) if isinstance(scope.constants.get(name), Call | Member):
            held = walk(scope.constants[name])
            return any(isinstance(inner, Member) and inner.name in _DELEGATES for inner in held)
        case _:
            return False


def _own(found: Registrations) -> None:
    """A server that no SDK makes: a function answers `initialize`, or a branch beside that of a list."""
    methods = {answer.method for answer in found.answers}
    first = next((answer for answer in found.answers if answer.method == "initialize"), None)
    if first is not None and (first.function or methods & _LISTS):
        found.servers.append(Server(Framework.OWN, first.node.place))
