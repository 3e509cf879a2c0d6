"""Where a server asks something of its client, and whether it looks first at what the client declared."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from avow.audit.facts import ClientUse
from avow.audit.model import Level
from avow.audit.source.answers import Registrations
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
    Node,
    Statement,
    last_name,
    walk,
    walk_outside_functions,
)
from avow.audit.source.phases import words_in
from avow.audit.source.project import Project, Scope
from avow.audit.source.records import entries
from avow.audit.source.vocabulary import CAPABILITY_CHECK, CLIENT_CALLS, CLIENT_METHODS, PEERS, SETTINGS

_CAPABILITIES: Final = frozenset(CLIENT_CALLS.values())
# A look at the capabilities as such, which may be any of them.
_ANY: Final = "*"
# A helper that only looks is short.
_LARGEST_HELPER: Final = 500


def uses(project: Project, found: Registrations) -> Iterator[ClientUse]:
    """Every request to a client in the tree."""
    made = found.constructed
    enforced = bool(made) and all(_enforces(project, scope, node) for scope, node in made)
    # The guard refuses what the client did not declare.
    enforced |= bool(found.servers) and all(server.is_guarded for server in found.servers)
    for scope in project:
        looks = _Looks(project, scope)
        for node in scope.nodes:
            if isinstance(node, Call) and (capability := _asked(scope, node)) is not None:
                checked = enforced or looks.before(node, capability)
                yield ClientUse(capability, node.place, checked, Level.MEDIUM)


class _Looks:
    """Where the functions of a unit look at what a client declared; each is gone through once."""

    def __init__(self, project: Project, scope: Scope) -> None:
        self._project = project
        self._scope = scope
        self._found: dict[int, list[tuple[int, frozenset[str], Node]]] = {}

    def before(self, use: Call, capability: str) -> bool:
        """Whether the function that asks looks first, or one around it, where a tool is registered."""
        holders: list[tuple[Statement, ...]] = [one.body for one in self._scope.nesting.around(use)]
        return any(
            start <= use.span.start and node is not use and (capability in words or _ANY in words)
            for body in (*holders, self._scope.unit.body)
            for start, words, node in self._in(body)
        )

    def _in(self, body: tuple[Statement, ...]) -> list[tuple[int, frozenset[str], Node]]:
        if id(body) not in self._found:
            self._found[id(body)] = [
                (node.span.start, words, node)
                for node in walk_outside_functions(*body)
                if (words := self._looked_at(node))
            ]
        return self._found[id(body)]

    def _looked_at(self, node: Node) -> frozenset[str]:
        """The capabilities that a node looks at, by itself or by a helper."""
        match node:
            case If(test=test) | Choice(test=test):
                return _mentioned(test)
            case Joined(left=left):
                return _mentioned(left)
            case Call(function=called) if CAPABILITY_CHECK.search(last_name(called)):
                return frozenset({_ANY})
            case Call(function=called):
                resolved = self._project.function(self._scope, called)
                return _helper(resolved[1]) if resolved else frozenset()
            case _:
                return frozenset()


def _asked(scope: Scope, node: Call) -> str | None:
    function = node.function
    if isinstance(function, Name) and isinstance(held := scope.constants.get(function.name), Member):
        # `const { createMessage } = server`
        function = held
    name = last_name(function)
    if name in CLIENT_CALLS and isinstance(function, Member):
        return CLIENT_CALLS[name] if _is_peer(scope, node, function) else None
    if name in ("request", "sendRequest", "send_request", "send_raw_request"):
        for argument in node.arguments:
            for inner in walk(argument):
                if isinstance(inner, Literal) and inner.value in CLIENT_METHODS:
                    return CLIENT_METHODS[str(inner.value)]
    return None


def _is_peer(scope: Scope, node: Call, function: Member) -> bool:
    """Whether what is called belongs to a session or a server, by whatever name it goes here."""
    name = _receiver(function)
    if PEERS.search(name):
        return True
    if not isinstance(function.object, Name):
        return False
    if isinstance(held := scope.constants.get(name), Name | Member) and PEERS.search(last_name(held)):
        return True
    return any(name in around.contexts for around in scope.nesting.around(node))


def _receiver(function: Member) -> str:
    """The last name before the method: `server` in `this.server.createMessage`."""
    match function.object:
        case Name(name=name) | Member(name=name):
            return name
        case Call(function=inner):
            return last_name(inner).removeprefix("get_")
        case _:
            return ""


def _helper(function: Function) -> frozenset[str]:
    tests = (node.test for node in islice(walk(*function.body), _LARGEST_HELPER) if isinstance(node, If))
    return frozenset(word for test in tests for word in _mentioned(test))


def _mentioned(test: Expression) -> frozenset[str]:
    # `config.sampling` is a setting of the server, and says nothing about the client.
    settings = {
        member.name
        for member in walk(test)
        if isinstance(member, Member) and SETTINGS.search(last_name(member.object))
    }
    words = set(words_in(test)) - settings
    found = words & _CAPABILITIES
    return frozenset({*found, _ANY} if any(map(CAPABILITY_CHECK.search, words)) else found)


def _enforces(project: Project, scope: Scope, construction: Call) -> bool:
    """The TypeScript SDK checks by itself where a server is told to."""
    return any(
        entry.key == "enforceStrictCapabilities"
        and isinstance(entry.value, Literal)
        and entry.value.value is True
        for argument in construction.arguments
        for entry in entries(project, scope, argument)
    )
