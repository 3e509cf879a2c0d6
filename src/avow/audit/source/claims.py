"""Where something that a client said about itself decides what it may do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from avow.audit.facts import Claim, Flow, Sink
from avow.audit.model import Level, Place
from avow.audit.source.answers import Registrations
from avow.audit.source.code import (
    Assign,
    Block,
    Call,
    Choice,
    Class,
    Evaluate,
    Expression,
    Function,
    If,
    Item,
    Member,
    Name,
    Not,
    Raise,
    Record,
    Return,
    Statement,
    Switch,
    last_name,
    walk_outside_functions,
)
from avow.audit.source.handshake import allows_versions, allows_versions_itself
from avow.audit.source.phases import words_in
from avow.audit.source.project import Project, Scope
from avow.audit.source.records import entries
from avow.audit.source.returning import (
    Shared,
    gives_back,
    longest,
    only_leaves,
    only_tells,
    only_words,
    own,
)
from avow.audit.source.taint import REQUEST, Taint, returned_by, taint_of
from avow.audit.source.vocabulary import AUTHORITY, LOGS, SESSIONS
from avow.core.credentials import is_credential_name

# A client's own capabilities: a server looks at these before it uses them, and should.
_CLIENTS: Final = frozenset({"sampling", "roots", "elicitation", "tasks", "extensions"})
_REQUESTS: Final = frozenset(
    {"request", "req", "params", "message", "msg", "body", "payload", "data", "rpc", "init", "initParams"}
)
_NOT_CLAIMED: Final = frozenset(
    {"self", "this", "cls", "ctx", "context", "extra", "next", "session", "server"}
)
_DEEPEST: Final = 3
_RESULT: Final = frozenset({"capabilities", "serverInfo", "server_info"})
_CLIENT: Final = frozenset({"clientInfo", "client_info"})
# Tokens of the protocol itself, which are no credentials.
_HARMLESS: Final = frozenset({"progressToken", "progress_token"})
_VERSIONS: Final = ("protocolVersion", "protocol_version")


@dataclass(slots=True)
class _Reading:
    """The state of a walk through one function: what is known to carry a claim, and what was found."""

    project: Project
    scope: Scope
    known: dict[str, Taint]
    allows: bool = False
    depth: int = 0
    flows: list[Flow] = field(default_factory=list)
    returned: list[Taint] = field(default_factory=list)
    nested: int = 0
    shared: Shared = field(default_factory=Shared)
    followed: dict[tuple[int, tuple[Taint | None, ...]], Taint | None] = field(default_factory=dict)

    def inside(self, scope: Scope, known: dict[str, Taint], *, allows: bool) -> "_Reading":
        """The state for a function that is called from here, or stands here."""
        depth = self.depth + 1
        return replace(
            self, scope=scope, known=known, allows=allows, depth=depth, flows=[], returned=[], nested=0
        )


def flows(project: Project, found: Registrations) -> Iterator[Flow]:
    """Every claim that reaches a sink."""
    seen: set[tuple[str, Place]] = set()
    shared = Shared()
    for answer in found.answers:
        if answer.method == "initialize":
            names = _request_names(answer.function)
            allows = allows_versions(project, answer.scope, answer.body)
            reading = _Reading(project, answer.scope, dict.fromkeys(names, REQUEST), allows, shared=shared)
            _body(reading, answer.body)
            yield from _new(reading.flows, seen)
    for scope in project:
        for node in scope.nodes:
            if isinstance(node, Function):
                reading = _Reading(project, scope, {}, allows=True, shared=shared)
                _body(reading, node.body)
                yield from _new(reading.flows, seen)
    found.is_cut |= shared.left < 0


def _request_names(function: Function | None) -> Iterable[str]:
    """What the request is called: the first parameter of a handler that is not something else."""
    if function is None:
        return _REQUESTS
    named = [name for name in function.parameters if name not in _NOT_CLAIMED]
    return named[:1] if named and named[0] not in _REQUESTS else [n for n in named if n in _REQUESTS]


def _new(flows: Iterable[Flow], seen: set[tuple[str, Place]]) -> Iterator[Flow]:
    kept = list(flows)
    declaring = {(flow.claim, flow.what) for flow in kept if flow.sink is Sink.DECLARATION}
    secrets: set[str] = set()
    for flow in kept:
        # What decides a declaration is a decision about a feature, too, and a credential that was read is
        # handed on: once is enough.
        if flow.sink is Sink.FEATURE and (flow.claim, flow.what) in declaring:
            continue
        if flow.sink is Sink.SECRET and flow.what in secrets:
            continue
        if (flow.sink, flow.place) not in seen:
            seen.add((flow.sink, flow.place))
            secrets.update([flow.what] if flow.sink is Sink.SECRET else [])
            yield flow


def _body(reading: _Reading, body: Iterable[Statement]) -> None:
    for statement in body:
        if reading.depth:
            reading.shared.left -= 1
            if reading.shared.left < 0:
                return
        match statement:
            case Assign():
                _assign(reading, statement)
            case If():
                _branch(reading, statement)
                _perhaps(reading, statement.then)
                _perhaps(reading, statement.otherwise)
            case Switch():
                _switch(reading, statement)
                for _, inner in statement.cases:
                    _perhaps(reading, inner)
            case Block():
                for expression in statement.expressions:
                    _expression(reading, expression)
                _perhaps(reading, statement.body)
            case Evaluate() | Return() | Raise():
                if statement.value is not None:
                    _expression(reading, statement.value)
                    taint = taint_of(statement.value, reading.known)
                    if taint is not None and isinstance(statement, Return):
                        reading.returned.append(taint)
            case Class() | Function():
                pass
            case _:
                pass


def _perhaps(reading: _Reading, body: Iterable[Statement]) -> None:
    """Statements that may run or not: what was known before them may still be so after them."""
    reading.nested += 1
    _body(reading, body)
    reading.nested -= 1


def _assign(reading: _Reading, statement: Assign) -> None:
    _expression(reading, statement.value)
    taint = taint_of(statement.value, reading.known)
    match statement.target:
        case Name(name=name):
            if taint is not None:
                reading.known[name] = taint
                _secret(reading, taint, statement.place, name)
            elif not reading.nested:
                reading.known.pop(name, None)
        case Item(object=holder, index=index):
            _keyed(reading, holder, index, statement.place)
        case Member(object=Name(name=owner), name=name) if taint is not None:
            reading.known[f"{owner}.{name}"] = taint
            _decides(reading, taint, statement.place, name, stored=True)
        case Member(name=name) if taint is not None:
            _decides(reading, taint, statement.place, name, stored=True)
        case _:
            pass


def _branch(reading: _Reading, statement: If) -> None:
    _expression(reading, statement.test)
    taint = taint_of(statement.test, reading.known)
    if taint is None or not _matters(taint) or only_tells((*statement.then, *statement.otherwise)):
        return
    if reading.depth and gives_back(statement.then) and not only_words(statement.then):
        # Whoever calls this decides by what it gives back; another text decides nothing.
        reading.returned.append(taint)
    if isinstance(statement.test, Not) and only_leaves(statement.then) and taint.claim is Claim.CLIENT_INFO:
        # The client has to say what it is called: that is no decision about it.
        return
    words = {word for inner in statement.then for word in words_in(inner)}
    if reading.depth and only_words(statement.then) and not any(map(AUTHORITY.search, words)):
        # A helper has another text for another client: no decision about what it may do.
        return
    _decides(reading, taint, statement.test.place, *words)


def _switch(reading: _Reading, statement: Switch) -> None:
    """A branch by the value of a claim, or by what is in it."""
    _expression(reading, statement.subject)
    taint = taint_of(statement.subject, reading.known)
    bodies = tuple(inner for values, body in statement.cases if values for inner in body)
    if taint is None or not _matters(taint) or not bodies or only_tells(bodies):
        return
    words = {word for inner in bodies for word in words_in(inner)}
    if only_words(bodies) and not any(map(AUTHORITY.search, words)):
        return
    _decides(reading, replace(taint, picked=True), statement.subject.place, *words)


def _expression(reading: _Reading, node: Expression) -> None:
    """Look for sinks inside an expression, and follow it into helper functions."""
    nodes = list(walk_outside_functions(node))
    # Inner ones first: what they give back may be handed to the outer ones.
    for inner in reversed(nodes):
        if isinstance(inner, Call):
            _follow(reading, inner)
    for inner in nodes:
        match inner:
            case Function():
                # A callback knows what is known around it; without that it has its own turn.
                if reading.known and reading.depth < _DEEPEST:
                    closure = reading.inside(reading.scope, dict(reading.known), allows=reading.allows)
                    _body(closure, inner.body)
                    reading.flows.extend(closure.flows)
            case Record():
                _record(reading, inner)
            case Call():
                _call(reading, inner)
            case Choice(test=test):
                taint = taint_of(test, reading.known)
                if taint is not None and _matters(taint) and taint.claim is not Claim.VERSION:
                    _decides(reading, taint, test.place)
            case _:
                pass


def _record(reading: _Reading, node: Record) -> None:
    # With `clientInfo` in it, it is what a client says, handed on or remembered.
    keys = {key for key, _ in node.entries}
    is_answer = bool(keys & _RESULT) and keys.isdisjoint(_CLIENT)
    for key, value in node.entries:
        if key == "capabilities" and keys.isdisjoint(_CLIENT):
            _declaration(reading, value)
        elif key in _VERSIONS:
            if is_answer:
                _version(reading, value)
        elif key and (taint := taint_of(value, reading.known)):
            _decides(reading, taint, value.place, key, stored=True)


def _call(reading: _Reading, node: Call) -> None:
    name = last_name(node.function)
    for parameter, value in node.named:
        if parameter == "capabilities":
            _declaration(reading, value)
        elif parameter in _VERSIONS and any(key in _RESULT for key, _ in node.named):
            _version(reading, value)
    if name == "ServerCapabilities":
        for _, value in node.named:
            _declared_by(reading, value)
    if name in ("set", "setdefault", "add") and isinstance(node.function, Member) and node.arguments:
        _keyed(reading, node.function.object, node.arguments[0], node.place)


def _follow(reading: _Reading, node: Call) -> None:
    """A helper that gets a claim is read with what it gets; what it gives back is known from then on."""
    if LOGS.search(last_name(node.function)):
        return
    given = tuple(taint_of(argument, reading.known) for argument in node.arguments)
    resolved = reading.project.function(reading.scope, node.function)
    if resolved is None:
        return
    if any(given) and reading.depth < _DEEPEST:
        key = (id(resolved[1]), given)
        if key not in reading.followed:
            # Should it call itself, that tells nothing new.
            reading.followed[key] = None
            reading.followed[key] = _read_helper(reading, *resolved, given)
        taint = reading.followed[key]
    else:
        taint = own(reading.shared, resolved[1])
    if taint is not None:
        reading.known[returned_by(node)] = taint


def _read_helper(
    reading: _Reading, scope: Scope, function: Function, given: tuple[Taint | None, ...]
) -> Taint | None:
    parameters = [name for name in function.parameters if name not in ("self", "cls", "this")]
    known = {name: taint for name, taint in zip(parameters, given, strict=False) if taint is not None}
    allowing = reading.shared.allowing
    if not reading.allows and id(function) not in allowing:
        allowing[id(function)] = allows_versions_itself(reading.project, scope, function.body)
    inner = reading.inside(scope, known, allows=reading.allows or allowing[id(function)])
    _body(inner, function.body)
    reading.flows.extend(inner.flows)
    taint = longest(inner.returned)
    # What it decides by itself is told there, and need not be told again of whoever calls it.
    decided = taint is not None and any(
        (flow.claim, flow.what) == (taint.claim, ".".join(taint.path)) for flow in inner.flows
    )
    return None if decided else taint


def _declaration(reading: _Reading, value: Expression) -> None:
    if isinstance(value, Call) and value.named:
        return
    for entry in entries(reading.project, reading.scope, value):
        for _, test in entry.conditions:
            _declared_by(reading, test)
        _declared_by(reading, entry.value)


def _declared_by(reading: _Reading, node: Expression) -> None:
    taint = taint_of(node, reading.known)
    if taint is None and isinstance(node, Record):
        for _, inner in node.entries:
            _declared_by(reading, inner)
    elif taint is not None and not taint.whole and taint.claim is not Claim.VERSION:
        reading.flows.append(Flow(taint.claim, Sink.DECLARATION, node.place, ".".join(taint.path)))


def _version(reading: _Reading, value: Expression) -> None:
    taint = taint_of(value, reading.known)
    if taint is not None and taint.claim is Claim.VERSION and not reading.allows:
        reading.flows.append(Flow(Claim.VERSION, Sink.ANSWERED_VERSION, value.place))


def _keyed(reading: _Reading, holder: Expression, index: Expression, place: Place) -> None:
    taint = taint_of(index, reading.known)
    if taint is None or taint.whole:
        return
    if SESSIONS.search(last_name(holder)):
        what = ".".join(filter(None, (str(taint.claim), *taint.path)))
        reading.flows.append(Flow(taint.claim, Sink.SESSION_KEY, place, what))


def _decides(reading: _Reading, taint: Taint, place: Place, *words: str, stored: bool = False) -> None:
    """A claim decides something, or is stored under a name, as far as that is not what it is there for."""
    _secret(reading, taint, place, *(words if stored else ()))
    if not _matters(taint) or taint.claim in (Claim.VERSION, Claim.OTHER):
        return
    if taint.claim is Claim.CLIENT_INFO and not taint.picked:
        return
    if stored and taint.claim is Claim.CLIENT_INFO and not any(map(AUTHORITY.search, words)):
        return
    is_authority = any(map(AUTHORITY.search, words))
    sink = Sink.AUTHORIZATION if is_authority else Sink.FEATURE
    confidence = Level.MEDIUM if stored or not is_authority else Level.HIGH
    reading.flows.append(Flow(taint.claim, sink, place, ".".join(taint.path), confidence))


def _secret(reading: _Reading, taint: Taint, place: Place, *words: str) -> None:
    names = [name for name in (*taint.path[-1:], *(words if taint.path else ())) if name not in _HARMLESS]
    if taint.claim is Claim.CLIENT_INFO and taint.path[-1:] and taint.path[-1].startswith("client_"):
        # What an authorization server knows of a client: `client_info.client_secret`.
        return
    if not taint.whole and taint.claim is not Claim.VERSION and any(map(is_credential_name, names)):
        what = ".".join(filter(None, ("" if taint.claim is Claim.OTHER else taint.claim, *taint.path)))
        reading.flows.append(Flow(taint.claim, Sink.SECRET, place, what))


def _matters(taint: Taint) -> bool:
    """Whether a decision by this claim gives the client something.

    Whether there is a claim at all does not, nor what the client itself can do.
    """
    if taint.whole or not taint.path:
        return False
    return taint.claim is not Claim.CAPABILITIES or taint.path[0] not in _CLIENTS
