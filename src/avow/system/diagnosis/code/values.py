"""What a value can be when a program is followed without being told anything.

The one that matters is `Configured`: it is one thing as long as what it depends on is missing, and another
once that is given. Everything that is computed from it stays that way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.ledger import Ledger, Ways


class Value:
    """Anything that an expression may come to."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Known(Value):
    """A constant; None stands for `None`, `null` and `undefined` alike."""

    value: s.Constant


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """Nobody can tell; `truth` is set where that much is certain, and `is_text` where the kind is."""

    truth: bool | None = None
    depends: frozenset[str] = frozenset()
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Configured(Value):
    """What depends on whether something was given; `size` is how many cases it tells apart."""

    ways: Ways
    missing: Value
    present: Value
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Count the cases."""
        sizes = [each.size if isinstance(each, Configured) else 1 for each in (self.missing, self.present)]
        object.__setattr__(self, "size", sum(sizes))


@dataclass(slots=True, eq=False)
class Sequenced(Value):
    """A list; there may be more in it than `items` unless it is `complete`."""

    items: list[Value]
    complete: bool = True


@dataclass(slots=True, eq=False)
class Record(Value):
    """An object or a dictionary; there may be more in it than `fields` unless it is `complete`."""

    fields: dict[str, Value] = field(default_factory=dict)
    complete: bool = True
    made_by: "ClassValue | None" = None


@dataclass(slots=True, eq=False)
class Scope:
    """Variables, and where to look for those that are not here."""

    module: "Module"
    parent: "Scope | None" = None
    variables: dict[str, Value] = field(default_factory=dict)

    def holder(self, name: str) -> "Scope | None":
        """The scope in which a variable is."""
        scope: Scope | None = self
        while scope is not None and name not in scope.variables:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class Closure(Value):
    """A function of the package, with what surrounds it and the object it is a method of."""

    function: s.Function
    scope: Scope
    this: Value | None = None
    takes_this: bool = False


@dataclass(slots=True, eq=False)
class ClassValue(Value):
    """A class of the package."""

    declaration: s.Class
    scope: Scope
    bases: Sequence[Value]
    statics: dict[str, Value] = field(default_factory=dict)

    def path_of_base(self) -> str:
        """The name of the library class that this one is derived from in the end, if any."""
        for base in self.bases:
            if isinstance(base, External):
                return base.path
            if isinstance(base, ClassValue):
                return base.path_of_base()
        return ""

    def member(self, name: str) -> "tuple[s.Member, ClassValue] | None":
        """A member of the class or of one that it is derived from, and which of them declares it."""
        for member in self.declaration.members:
            if member.name == name:
                return member, self
        for base in self.bases:
            if isinstance(base, ClassValue) and base is not self and (found := base.member(name)):
                return found
        return None


@dataclass(frozen=True, slots=True)
class External(Value):
    """Something of a library, by the path to it: `os.environ`, `zod.z.string()`."""

    path: str


@dataclass(slots=True, eq=False)
class ModuleValue(Value):
    """A module of the package, as seen from another."""

    module: "Module"


@dataclass(slots=True, eq=False)
class Module:
    """A file of the package: `name` is its path inside it, `dotted` its name as a Python module."""

    path: Path
    name: str
    is_python: bool
    dotted: str = ""
    scope: Scope = field(init=False)
    exports: dict[str, tuple[Value | None, str]] = field(default_factory=dict)
    stars: list[Value] = field(default_factory=list)
    common: Record = field(default_factory=Record)

    def __post_init__(self) -> None:
        """A module's own scope is where its names are."""
        self.scope = Scope(self)

    def export(self, names: Sequence[tuple[str, str]], source: Value | None) -> None:
        """Give names out, from here or from another module."""
        for here, outside in names:
            if outside == "*":
                self.stars.extend([source] if source is not None else [])
            else:
                self.exports[outside] = (source, here)

    def exported(self, name: str) -> Value | None:
        """What another module gets under a name."""
        if self.is_python:
            return self.scope.variables.get(name)
        if name in self.exports:
            source, here = self.exports[name]
            if source is None:
                return self.scope.variables.get(here)
            return source.module.exported(here) if isinstance(source, ModuleValue) else None
        whole = self.scope.variables.get("module")
        common = whole.fields.get("exports") if isinstance(whole, Record) else None
        if isinstance(common, Record) and name in common.fields:
            return common.fields[name]
        if name == "default" and common is not None and not self.exports:
            return common
        for star in self.stars:
            if isinstance(star, ModuleValue) and (found := star.module.exported(name)):
                return found
        return None

    def whole(self) -> Value:
        """What `require` of this module gives."""
        holder = self.scope.variables.get("module")
        common = holder.fields.get("exports") if isinstance(holder, Record) else None
        if common is not None and not (isinstance(common, Record) and not common.fields):
            return common
        return ModuleValue(self)


@dataclass(frozen=True, slots=True)
class Environment(Value):
    """The environment variables, all of them; names are put after `prefix`."""

    prefix: str = ""


@dataclass(frozen=True, slots=True)
class CommandLine(Value):
    """The words of the command line; the first `skipped` of those that a user gives are left out.

    `leading` counts the words before them, the program itself.
    """

    leading: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Word(Value):
    """What a user gave for a key; whichever of the words that it is compared with starts the server."""

    key: str


@dataclass(frozen=True, slots=True)
class Request:
    """A call of something that the package does not define."""

    arguments: Sequence[Value]
    keywords: Mapping[str, Value]
    line: int
    module: "Module"
    is_new: bool = False

    def argument(self, position: int, name: str = "") -> Value | None:
        """An argument by its position or its name."""
        if name and name in self.keywords:
            return self.keywords[name]
        return self.arguments[position] if position < len(self.arguments) else None

    def text(self, position: int, name: str = "") -> str | None:
        """An argument that is a known text."""
        return text_of(self.argument(position, name))


class Model(Value):
    """Something of a library whose behaviour is known here."""

    __slots__ = ()

    def call(self, _engine: "Program", _request: Request) -> Value:
        """It is called."""
        return Unknown()

    def attribute(self, _engine: "Program", name: str) -> Value:
        """An attribute of it is read."""
        return Native(lambda engine, request: self.method(engine, name, request))

    def method(self, _engine: "Program", _name: str, _request: Request) -> Value:
        """A method of it is called."""
        return Unknown()


@dataclass(slots=True, eq=False)
class Native(Model):
    """A function of a library."""

    run: Callable[[Any, Request], Value]

    def call(self, engine: "Program", request: Request) -> Value:
        """Do what the library's function does."""
        return self.run(engine, request)


@dataclass(slots=True, eq=False)
class Getter(Value):
    """A field whose value is computed when it is read."""

    function: Value


NOTHING = Known(None)
GIVEN = Unknown(truth=True, is_text=True)
"""A text that somebody gave: not empty, and no more is known."""


def text_of(value: Value | None) -> str | None:
    """The text of a value, as it is while nothing is given; None where that is not known."""
    if isinstance(value, Configured):
        return text_of(value.missing)
    return value.value if isinstance(value, Known) and isinstance(value.value, str) else None


def flag_of(value: Value | None, *, default: bool = False) -> bool:
    """Whether a value is certainly true; an absent one is the default."""
    if value is None:
        return default
    if isinstance(value, Known):
        return bool(value.value)
    return isinstance(value, Unknown) and value.truth is True


def ways_of(value: Value | None) -> Ways:
    """Everything that would have to be given for a value to be present, alternatives included."""
    if not isinstance(value, Configured):
        return ()
    return tuple(dict.fromkeys((*value.ways, *ways_of(value.missing))))


def depends_of(*values: Value) -> frozenset[str]:
    """The keys on which values depend."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, Unknown):
            found |= value.depends
        elif isinstance(value, Configured):
            found |= frozenset().union(*value.ways) | depends_of(value.missing, value.present)
    return frozenset(found)


@dataclass(slots=True)
class Truth:
    """Whether something is true, and what it takes to change that; `sure` are the ways that certainly do."""

    value: bool | None
    ways: Ways = ()
    sure: Ways = ()

    @property
    def firm(self) -> bool:
        """Whether any of the ways changes it for certain."""
        return bool(self.ways) and self.sure == self.ways


class Program(Protocol):
    """The program that is being followed, as models of libraries see it."""

    ledger: Ledger
    serves: bool
    models: dict[str, Model]
    given: set[str]

    def settle(self, value: Value) -> Value:
        """A value as it is with what is given now."""

    def truth(self, value: Value) -> Truth:
        """Whether a value is true."""

    def lift(self, value: Value, change: Callable[[Value], Value]) -> Value:
        """Compute something from a value."""

    def call(self, function: Value, request: Request) -> Value:
        """Call something."""

    def insist(self, ways: Ways, name: str, place: str, reason: str) -> None:
        """The program cannot go on without one of these."""

    def variable(self, name: str, scope: Scope, line: int) -> Value:
        """An environment variable."""

    def attribute(self, owner: Value, name: str, scope: Scope, line: int, *, optional: bool = False) -> Value:
        """An attribute of a value."""

    def index(self, owner: Value, key: Value, scope: Scope, line: int) -> Value:
        """An item of a value."""

    def evaluate(self, node: s.Expression, scope: Scope) -> Value:
        """The value of an expression."""

    def length(self, value: Value, scope: Scope, line: int) -> Value:
        """How many items there are."""

    def items_of(self, value: Value, scope: Scope, line: int) -> list[Value] | None:
        """The items of something."""

    def filtered(self, items: Sequence[Value], test: Callable[[Value], Value]) -> Sequenced:
        """The items that pass a test."""

    def append(self, target: Sequenced, value: Value) -> None:
        """Add an item to a list."""

    def write(self, target: dict[str, Value], key: str, value: Value) -> None:
        """Set a field."""

    def compare(self, value: Value, other: Value) -> None:
        """Note the word that something given is compared with."""

    def switch(self, word: str, scope: Scope, line: int) -> Value:
        """A flag that may stand on the command line."""

    def positional(self, number: int, scope: Scope, line: int) -> Value:
        """A word of the command line."""
