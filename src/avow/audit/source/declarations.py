"""Which capabilities a server declares, wherever and however they are put together."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from avow.audit.facts import Declared
from avow.audit.model import Level
from avow.audit.source.answers import Registrations
from avow.audit.source.code import (
    Call,
    Expression,
    Literal,
    Record,
    last_name,
    words_of,
)
from avow.audit.source.project import Project, Scope
from avow.audit.source.records import Entry, entries, unfold

_CAPABILITIES: Final = frozenset(
    {"tools", "prompts", "resources", "logging", "completions", "experimental"}
    | {"sampling", "roots", "elicitation", "tasks", "extensions"}
)
_CHANGED: Final = {
    "tools_changed": "tools",
    "prompts_changed": "prompts",
    "resources_changed": "resources",
}
_SPELLINGS: Final = {"list_changed": "listChanged", "listChanged": "listChanged", "subscribe": "subscribe"}


def declared(project: Project, found: Registrations) -> Iterator[Declared]:
    """Every capability that some server in the tree declares; what could not be followed is remembered."""
    mentioned = _Mentions(project)
    for scope, holder in capability_records(project, found):
        inside, is_whole = unfold(project, scope, holder)
        if not is_whole:
            found.unfollowed.append(holder.place)
        for entry in inside:
            if entry.key in _CAPABILITIES and not _is_absent(entry.value):
                yield _declared(project, entry, mentioned)
    for scope in project:
        for node in scope.nodes:
            if isinstance(node, Call):
                yield from _options(project, scope, node, mentioned)


def capability_records(project: Project, found: Registrations) -> Iterator[tuple[Scope, Expression]]:
    """The expressions that hold a server's capabilities."""
    for scope, construction in found.constructed:
        for number, argument in enumerate(construction.arguments):
            inside, is_whole = unfold(project, scope, argument)
            held = [(entry.scope, entry.value) for entry in inside if entry.key == "capabilities"]
            yield from held
            # The first is the name; the second may hold capabilities, or not.
            if number == 1 and not held and not is_whole and not scope.path.endswith(".py"):
                found.unfollowed.append(argument.place)
    for scope in project:
        for node in scope.nodes:
            match node:
                case Record():
                    keys = {key for key, _ in node.entries}
                    if "protocolVersion" in keys and keys & {"serverInfo", "capabilities"}:
                        yield from _held(project, scope, node)
                case Call(function=function, arguments=arguments, named=named):
                    name = last_name(function)
                    if name == "ServerCapabilities":
                        # Two stars spread a record.
                        yield scope, Record(node.span, tuple((key or None, value) for key, value in named))
                    elif name == "registerCapabilities" and arguments:
                        yield scope, arguments[0]
                case _:
                    pass


def _held(project: Project, scope: Scope, node: Record) -> Iterator[tuple[Scope, Expression]]:
    values = dict(node.entries)
    # What a client says of itself is no server's declaration.
    if "clientInfo" in values:
        return
    version = values["protocolVersion"]
    for entry in entries(project, scope, node):
        # `{ protocolVersion: z.string(), capabilities: Capabilities }` is a type, as the SDK has it.
        is_type = isinstance(version, Call) and not version.arguments
        if entry.key == "capabilities" and not (is_type and not unfold(project, entry.scope, entry.value)[0]):
            yield entry.scope, entry.value


def _declared(project: Project, entry: Entry, mentioned: "_Mentions") -> Declared:
    members = {
        _SPELLINGS.get(inner.key, inner.key): _truth(inner.value)
        for inner in _members(project, entry)
        if entry.key == "experimental" or inner.key in _SPELLINGS
    }
    used = frozenset(mentioned.used(members)) if entry.key == "experimental" else frozenset()
    if entry.conditions:
        # Somebody decides about it: that is a use.
        used = frozenset(members)
    confidence = Level.MEDIUM if entry.conditions else Level.HIGH
    return Declared(entry.key, entry.value.place, members, used, confidence)


def _members(project: Project, entry: Entry) -> Iterator[Entry]:
    value = entry.value
    if isinstance(value, Call) and value.named:
        # ToolsCapability(listChanged=True)
        yield from (Entry(name, entry.scope, inner) for name, inner in value.named)
    else:
        yield from entries(project, entry.scope, value)


def _options(project: Project, scope: Scope, node: Call, mentioned: "_Mentions") -> Iterator[Declared]:
    """Python's low-level server declares what has handlers; these say more about it."""
    if last_name(node.function) == "NotificationOptions":
        for name, value in node.named:
            if name in _CHANGED and _truth(value) is True:
                yield Declared(_CHANGED[name], node.place, {"listChanged": True}, with_handlers=True)
    for name, value in node.named:
        if name == "experimental_capabilities" and not _is_absent(value):
            yield _declared(project, Entry("experimental", scope, value), mentioned)


def _is_absent(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value in (None, False)


def _truth(value: Expression) -> bool | None:
    if isinstance(value, Literal) and isinstance(value.value, bool):
        return value.value
    return None


class _Mentions:
    """How often the tree mentions a word; counted once, and only when somebody asks."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._counted: Counter[str] = Counter()

    def used(self, names: Iterable[str]) -> Iterator[str]:
        """Those of the names that stand somewhere else than in the declaration."""
        if not self._counted:
            for scope in self._project:
                self._counted.update(word for node in scope.nodes for word in words_of(node))
        return (name for name in names if self._counted[name] > 1)
