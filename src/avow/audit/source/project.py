"""The units of a source tree together: which function, constant or module a name stands for."""

import posixpath
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
    Literal,
    Member,
    Name,
    Several,
    Statement,
    Unit,
    last_name,
    walk,
)

_DEEPEST: Final = 4
_ENDINGS: Final = ("", ".ts", ".js", ".mjs", ".tsx", ".mts", ".cts", ".cjs", "/index.ts", "/index.js")
# What stands for the object that a method belongs to.
_SELF: Final = frozenset({"self", "this", "cls"})


@dataclass(slots=True)
class Scope:
    """One unit with an index of what it defines: functions and methods, and values that have one meaning.

    `nodes` holds every node once, since several readers go through all of them.
    """

    unit: Unit
    nodes: tuple[Expression | Statement, ...] = ()
    functions: dict[str, Function] = field(default_factory=dict)
    constants: dict[str, Expression] = field(default_factory=dict)
    fields: dict[str, Expression] = field(default_factory=dict)

    @classmethod
    def of(cls, unit: Unit) -> "Scope":
        """Index a unit."""
        scope = cls(unit, tuple(walk(*unit.body)))
        scope._take(unit.body, in_class=False)
        scope._fields()
        return scope

    @property
    def path(self) -> str:
        """Where the unit stands."""
        return self.unit.path

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
                case If():
                    self._take((*statement.then, *statement.otherwise), in_class=in_class)
                case Block():
                    self._take(statement.body, in_class=in_class)
                case _:
                    pass

    def _fields(self) -> None:
        for node in self.nodes:
            match node:
                case Assign(target=Member(object=Name(name=owner), name=name), value=value) if owner in _SELF:
                    self.fields.setdefault(name, value)
                case _:
                    pass


@dataclass(slots=True)
class Project:
    """All units by path."""

    scopes: dict[str, Scope] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Iterable[Unit]) -> "Project":
        """Index several units."""
        return cls({unit.path: Scope.of(unit) for unit in units})

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
                return self._named(other, name, depth + 1) if other else None
            case Call(function=Member(name="bind", object=inner)):
                return self.function(scope, inner, depth + 1) if depth < _DEEPEST else None
            case _:
                return None

    def value(self, scope: Scope, node: Expression, depth: int = 0) -> tuple[Scope, Expression]:
        """What a name stands for, where it is one value; else the expression itself."""
        found: tuple[Scope, Expression] | None = None
        match node:
            case Name(name=name) if name in scope.constants:
                found = scope, scope.constants[name]
            case Name(name=name) if name in scope.unit.imports:
                imported = scope.unit.imports[name]
                other = self._module(scope, imported)
                if other and imported.name in other.constants:
                    found = other, other.constants[imported.name]
            case Member(object=Name(name=owner), name=name) if owner in _SELF and name in scope.fields:
                found = scope, scope.fields[name]
            case Call(function=Member(object=Name(name="Object"), name="freeze"), arguments=(inner, *_)):
                found = scope, inner
            case _:
                pass
        if found is None or depth >= _DEEPEST or found[1] is node:
            return scope, node
        return self.value(*found, depth + 1)

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

    def origin(self, scope: Scope, name: str) -> Imported | None:
        """Where a name is imported from."""
        return scope.unit.imports.get(name)

    def _named(self, scope: Scope, name: str, depth: int) -> tuple[Scope, Function] | None:
        if name in scope.functions:
            return scope, scope.functions[name]
        if depth >= _DEEPEST:
            return None
        if name in scope.constants:
            return self.function(scope, scope.constants[name], depth + 1)
        imported = scope.unit.imports.get(name)
        other = self._module(scope, imported) if imported else None
        return self._named(other, imported.name or name, depth + 1) if imported and other else None

    def _module(self, scope: Scope, imported: Imported) -> Scope | None:
        if imported.module.startswith(("./", "../")):
            return self._relative(scope, imported.module)
        dotted = imported.module.lstrip(".").replace(".", "/")
        # `from . import name` and `from package import module` name a module, not something in it.
        candidates = [dotted, f"{dotted}/{imported.name}" if dotted else imported.name]
        for candidate in candidates:
            for path in (f"{candidate}.py", f"src/{candidate}.py", f"{candidate}/__init__.py"):
                if path in self.scopes:
                    return self.scopes[path]
        return None

    def _relative(self, scope: Scope, module: str) -> Scope | None:
        base = posixpath.normpath(posixpath.join(posixpath.dirname(scope.path), module))
        # TypeScript writes the name of the file that it will be compiled to.
        stem = base.removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
        for candidate in (base, stem):
            for ending in _ENDINGS:
                if candidate + ending in self.scopes:
                    return self.scopes[candidate + ending]
        return None
