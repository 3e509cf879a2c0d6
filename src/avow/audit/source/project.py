"""The units of a source tree together: which function, class or value a name stands for."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from avow.audit.source.code import (
    Assign,
    Block,
    Call,
    Class,
    Expression,
    Function,
    If,
    Imported,
    Item,
    Literal,
    Member,
    Name,
    Node,
    Record,
    Several,
    Statement,
    Unit,
    last_name,
    walk,
)
from avow.audit.source.modules import Modules
from avow.audit.source.nesting import Nesting

_DEEPEST: Final = 5
# How many calls away from a handler its work may be done.
_FARTHEST: Final = 2
# What makes an object of a class.
_MAKERS: Final = frozenset({"constructor", "__init__"})
# How many callers of one function are asked what they hand over.
_MOST_CALLS: Final = 20
# What stands for the object that a method belongs to.
_SELF: Final = frozenset({"self", "this", "cls"})


@dataclass(slots=True)
class Scope:
    """One unit with an index of what it defines: functions and methods, and values that have one meaning.

    `nodes` holds every node once, since several readers go through all of them. `added` has what is put
    into a record after it was made: `capabilities.tools = {}`; `grown` names those that got something under
    a key that is computed.
    """

    unit: Unit
    nodes: tuple[Node, ...] = ()
    functions: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, Expression] = field(default_factory=dict)
    fields: dict[str, Expression] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    added: dict[str, list[tuple[str, Expression]]] = field(default_factory=dict)
    grown: set[str] = field(default_factory=set)
    nesting: Nesting = field(default_factory=lambda: Nesting(()))
    _titles: dict[int, frozenset[str]] | None = None

    @classmethod
    def of(cls, unit: Unit) -> "Scope":
        """Index a unit."""
        scope = cls(unit, tuple(walk(*unit.body)))
        scope.nesting = Nesting(scope.nodes)
        scope._take(unit.body, in_class=False)
        scope._inside()
        return scope

    @property
    def path(self) -> str:
        """Where the unit stands."""
        return self.unit.path

    def titles(self, function: Function) -> frozenset[str]:
        """By what a function is called: its name, the variable that holds it, the class that it makes."""
        if self._titles is None:
            found: dict[int, set[str]] = {}
            for name, one in self.functions.items():
                found.setdefault(id(one), set()).add(name)
            for owner in self.classes.values():
                for part in owner.body:
                    if isinstance(part, Function) and part.name in _MAKERS:
                        found.setdefault(id(part), set()).add(owner.name)
            self._titles = {key: frozenset(names - _MAKERS - {""}) for key, names in found.items()}
        return self._titles.get(id(function), frozenset())

    def _take(self, body: Iterable[Statement], *, in_class: bool) -> None:
        for statement in body:
            match statement:
                case Function():
                    self.functions.setdefault(statement.name, statement)
                case Class():
                    self._take(statement.body, in_class=True)
                case Assign(target=Name(name=name), value=value):
                    (self.fields if in_class else self.constants).setdefault(name, value)
                    if isinstance(value, Function):
                        self.functions.setdefault(name, value)
                case Assign(target=Member(object=Name(name="exports"), name=name), value=value):
                    self.constants.setdefault(name, value)
                case Assign(target=Member(object=Name(name="module"), name="exports"), value=value):
                    self._export(value)
                case If():
                    self._take((*statement.then, *statement.otherwise), in_class=in_class)
                case Block():
                    self._take(statement.body, in_class=in_class)
                case _:
                    pass

    def _export(self, value: Expression) -> None:
        self.constants.setdefault("default", value)
        if isinstance(value, Record):
            for key, inner in value.entries:
                if key and not (isinstance(inner, Name) and inner.name == key):
                    self.constants.setdefault(key, inner)

    def _inside(self) -> None:
        """What stands inside of functions: fields, classes, and names that are assigned once."""
        times: Counter[str] = Counter()
        local: dict[str, Expression] = {}
        for node in self.nodes:
            match node:
                case Assign(target=Member(object=Name(name=owner), name=name), value=value):
                    if owner in _SELF:
                        self.fields.setdefault(name, value)
                    else:
                        self.added.setdefault(owner, []).append((name, value))
                case Assign(target=Member(object=Member(object=Name(name=owner), name=holder), name=name)):
                    if owner in _SELF:
                        self.added.setdefault(holder, []).append((name, node.value))
                case Assign(target=Item(object=Name(name=name) | Member(name=name))):
                    self.grown.add(name)
                case Assign(target=Name(name=name), value=value):
                    times[name] += 1
                    local[name] = value
                case Class():
                    self.classes.setdefault(node.name, node)
                case Function():
                    if node.name:
                        self.functions.setdefault(node.name, node)
                    times.update(node.parameters)
                case _:
                    pass
        for name, value in local.items():
            if times[name] == 1:
                self.constants.setdefault(name, value)


@dataclass(slots=True)
class Project:
    """All units by path."""

    modules: Modules
    scopes: dict[str, Scope] = field(default_factory=dict)
    _calls: dict[str, list[tuple[Scope, Call]]] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Iterable[Unit], modules: Modules) -> "Project":
        """Index several units."""
        return cls(modules, {unit.path: Scope.of(unit) for unit in units})

    def __iter__(self) -> Iterator[Scope]:
        """The units, in the order of their paths."""
        return iter(self.scopes.values())

    def function(self, scope: Scope, node: Expression, depth: int = 0) -> tuple[Scope, Function] | None:
        """The function that an expression stands for, and the unit that it is in."""
        match node:
            case Function():
                return scope, node
            case Name(name=name):
                return self._named(scope, name, depth)
            case Member(object=Name(name=owner), name=name):
                if owner in _SELF:
                    found = scope.functions.get(name)
                    return (scope, found) if found else None
                imported = scope.unit.imports.get(owner)
                other = self._module(scope, imported) if imported else None
                if other is not None:
                    return self._named(other, name, depth + 1)
                return self._method(scope, owner, name)
            case Call(function=Member(name="bind", object=inner)):
                return self.function(scope, inner, depth + 1) if depth < _DEEPEST else None
            case _:
                return None

    def _method(self, scope: Scope, owner: str, name: str) -> tuple[Scope, Function] | None:
        """A method of an object that was made from a class in the tree, or an entry of a record."""
        home, value = self._constant(scope, owner) or (scope, None)
        match value:
            case Call(function=Name(name=called)):
                found = self.definition(home, called)
                methods = found[1].body if isinstance(found, tuple) else ()
                function = next((m for m in methods if isinstance(m, Function) and m.name == name), None)
                return (found[0], function) if function and isinstance(found, tuple) else None
            case Record(entries=entries):
                inner = dict(entries).get(name)
                return self.function(home, inner, _DEEPEST) if inner is not None else None
            case _:
                return None

    def value(self, scope: Scope, node: Expression, depth: int = 0) -> tuple[Scope, Expression]:
        """What a name stands for, where it is one value; else the expression itself."""
        found: tuple[Scope, Expression] | None = None
        match node:
            case Name(name=name):
                found = self._constant(scope, name)
            case Member(object=Name(name=owner), name=name) if owner in _SELF and name in scope.fields:
                found = scope, scope.fields[name]
            case Member(object=Name() as owner, name=name):
                home, holder = self.value(scope, owner, depth + 1) if depth < _DEEPEST else (scope, owner)
                inner = dict(holder.entries).get(name) if isinstance(holder, Record) else None
                found = (home, inner) if inner is not None else None
                if found is None and owner.name in scope.unit.imports:
                    # Not of a record that is imported, but of a module.
                    other = self._module(scope, scope.unit.imports[owner.name])
                    found = self._constant(other, name) if other else None
            case Call(function=Member(object=Name(name="Object"), name="freeze"), arguments=(inner, *_)):
                found = scope, inner
            case _:
                pass
        if found is None or depth >= _DEEPEST or found[1] is node:
            return scope, node
        return self.value(*found, depth + 1)

    def _constant(self, scope: Scope, name: str, depth: int = 0) -> tuple[Scope, Expression] | None:
        if name in scope.constants:
            return scope, scope.constants[name]
        imported = scope.unit.imports.get(name)
        if depth >= _DEEPEST:
            return None
        if imported is not None:
            other = self._module(scope, imported)
            return self._constant(other, imported.name, depth + 1) if other else None
        for other in self._everything(scope):
            if found := self._constant(other, name, depth + 1):
                return found
        return None

    def definition(self, scope: Scope, name: str, depth: int = 0) -> tuple[Scope, Class] | Imported | None:
        """The class of a name in the tree, or the import from outside that it comes down to."""
        if name in scope.classes:
            return scope, scope.classes[name]
        imported = scope.unit.imports.get(name)
        if imported is not None:
            other = self._module(scope, imported)
            if other is None or depth >= _DEEPEST:
                return imported
            return self.definition(other, imported.name, depth + 1)
        value = scope.constants.get(name)
        if isinstance(value, Name) and value.name != name and depth < _DEEPEST:
            return self.definition(scope, value.name, depth + 1)
        for other in self._everything(scope) if depth < _DEEPEST else ():
            if found := self.definition(other, name, depth + 1):
                return found
        return None

    def texts(self, scope: Scope, node: Expression) -> tuple[str, ...]:
        """The texts in a list that an expression stands for."""
        _, value = self.value(scope, node)
        match value:
            case Several(items=items):
                found = (self.value(scope, item)[1] for item in items)
                return tuple(
                    one.value for one in found if isinstance(one, Literal) and isinstance(one.value, str)
                )
            case Call(arguments=(inner, *_)) if last_name(value.function) in (
                "Set",
                "frozenset",
                "set",
                "tuple",
            ):
                return self.texts(scope, inner)
            case Literal(value=str() as text):
                return (text,)
            case _:
                return ()

    def calls(self, name: str) -> list[tuple[Scope, Call]]:
        """Every call of something by that name; all are gathered when somebody asks for the first time."""
        if not self._calls:
            for scope in self:
                for node in scope.nodes:
                    if isinstance(node, Call):
                        self._calls.setdefault(last_name(node.function), []).append((scope, node))
        return self._calls.get(name, [])

    def given(self, scope: Scope, node: Node, name: str) -> list[tuple[Scope, Expression]]:
        """What is handed over for a parameter of the function around a node, by those who call it."""
        function = next((one for one in scope.nesting.around(node) if name in one.parameters), None)
        if function is None:
            return []
        parameters = [one for one in function.parameters if one not in _SELF]
        place = parameters.index(name) if name in parameters else len(parameters)
        found: list[tuple[Scope, Expression]] = []
        for called in scope.titles(function):
            for home, call in self.calls(called)[:_MOST_CALLS]:
                named = dict(call.named).get(name)
                if named is not None:
                    found.append((home, named))
                elif place < len(call.arguments):
                    found.append((home, call.arguments[place]))
        return found

    def _named(self, scope: Scope, name: str, depth: int) -> tuple[Scope, Function] | None:
        if name in scope.functions:
            return scope, scope.functions[name]
        if depth >= _DEEPEST:
            return None
        if name in scope.constants:
            return self.function(scope, scope.constants[name], depth + 1)
        imported = scope.unit.imports.get(name)
        if imported is not None:
            other = self._module(scope, imported)
            return self._named(other, imported.name or name, depth + 1) if other else None
        for other in self._everything(scope):
            if found := self._named(other, name, depth + 1):
                return found
        return None

    def _module(self, scope: Scope, imported: Imported) -> Scope | None:
        found = self.modules.find(scope.path, imported)
        return self.scopes.get(found) if found else None

    def _everything(self, scope: Scope) -> Iterator[Scope]:
        for module in scope.unit.everything_of:
            other = self._module(scope, Imported(module, ""))
            if other is not None and other is not scope:
                yield other


def reached(project: Project, scope: Scope, body: tuple[Statement, ...]) -> Iterator[tuple[Scope, Node]]:
    """The nodes of a body and of the functions that it calls, each function once."""
    seen: set[int] = set()
    waiting = [(scope, body, 0)]
    while waiting:
        home, statements, depth = waiting.pop(0)
        for node in walk(*statements):
            yield home, node
            resolved = project.function(home, node.function) if isinstance(node, Call) else None
            if resolved is not None and depth < _FARTHEST and id(resolved[1]) not in seen:
                seen.add(id(resolved[1]))
                waiting.append((resolved[0], resolved[1].body, depth + 1))
