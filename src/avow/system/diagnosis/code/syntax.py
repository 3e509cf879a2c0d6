"""The small language that Python and JavaScript are both translated into before their code is followed.

It keeps what decides whether a program goes on: values, names, calls, branches, and ways to end. Everything
else is an `Opaque` expression over its parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

Constant = str | int | float | bool | None


@dataclass(slots=True)
class Expression:
    """Something with a value; `line` is where it stands."""

    line: int = field(default=0, kw_only=True)


@dataclass(slots=True)
class Literal(Expression):
    """A constant."""

    value: Constant


@dataclass(slots=True)
class Name(Expression):
    """A variable."""

    text: str


@dataclass(slots=True)
class Attribute(Expression):
    """`owner.name`; an `optional` one of nothing is nothing, any other is an error."""

    owner: Expression
    name: str
    optional: bool = False


@dataclass(slots=True)
class Index(Expression):
    """`owner[key]`; a `strict` one raises when there is no such key."""

    owner: Expression
    key: Expression
    strict: bool = False
    optional: bool = False


@dataclass(slots=True)
class Call(Expression):
    """A call, or with `new` a construction."""

    function: Expression
    arguments: Sequence[Expression]
    keywords: Sequence[tuple[str, Expression]] = ()
    new: bool = False


@dataclass(slots=True)
class Spread(Expression):
    """`...value` or `*value`."""

    value: Expression


@dataclass(slots=True)
class Logic(Expression):
    """`left or right`, `left and right`, `left ?? right`: the operator is `or`, `and` or `??`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class Not(Expression):
    """The negation of a value's truth."""

    value: Expression


@dataclass(slots=True)
class Conditional(Expression):
    """`then if test else otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(slots=True)
class Binary(Expression):
    """A comparison or a calculation, by its operator."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class TypeOf(Expression):
    """`typeof value`."""

    value: Expression


@dataclass(slots=True)
class Text(Expression):
    """A text put together from parts."""

    parts: Sequence[Expression]


@dataclass(slots=True)
class Items(Expression):
    """A list, a tuple or a set."""

    items: Sequence[Expression]


@dataclass(slots=True)
class Mapped(Expression):
    """A dictionary or an object; a pair without a key is a spread."""

    pairs: Sequence[tuple[Expression | None, Expression]]


@dataclass(slots=True)
class Comprehension(Expression):
    """`[element for target in items if tests]`; with `key` a dictionary."""

    target: "Target"
    items: Expression
    tests: Sequence[Expression]
    element: Expression
    key: Expression | None = None


@dataclass(slots=True)
class Assigned(Expression):
    """An assignment that is itself a value; `operator` is set for `||=` and its like."""

    target: "Target"
    value: Expression
    operator: str = ""


@dataclass(slots=True)
class Sequenced(Expression):
    """Several values, of which the last counts."""

    parts: Sequence[Expression]


@dataclass(slots=True)
class Opaque(Expression):
    """Something whose value nobody here can tell; its parts still happen."""

    parts: Sequence[Expression] = ()


@dataclass
class Function(Expression):
    """A function; its body is translated when it is first called, since most never are."""

    name: str
    parameters: Sequence["Parameter"]
    translate: Callable[[], "Sequence[Statement]"]
    decorators: Sequence[Expression] = ()
    is_arrow: bool = False

    @cached_property
    def body(self) -> "Sequence[Statement]":
        """The statements of the function."""
        return self.translate()


@dataclass(slots=True)
class Parameter:
    """A parameter of a function; `kind` is empty, `*` or `**`."""

    target: "Target"
    default: Expression | None = None
    annotation: Expression | None = None
    kind: str = ""


@dataclass(slots=True)
class Class(Expression):
    """A class, with its members in the order of the source."""

    name: str
    bases: Sequence[Expression]
    members: Sequence["Member"]
    decorators: Sequence[Expression] = ()
    keywords: Sequence[tuple[str, Expression]] = ()
    documentation: str = ""


@dataclass(slots=True)
class Member:
    """A method, or a field with its annotation; an instance's own unless `static`."""

    name: str
    value: Expression | None
    annotation: Expression | None = None
    static: bool = False
    getter: bool = False


@dataclass(slots=True)
class ObjectPattern:
    """`{key: target = default, ...rest}` on the left of an assignment."""

    entries: Sequence[tuple[Expression, "Target", Expression | None]]
    rest: "Target | None" = None


@dataclass(slots=True)
class ItemsPattern:
    """`[target = default, ...rest]` on the left of an assignment; a skipped place is None."""

    entries: Sequence[tuple["Target | None", Expression | None]]
    rest: "Target | None" = None


Target = Name | Attribute | Index | ObjectPattern | ItemsPattern


@dataclass(slots=True)
class Statement:
    """Something that happens."""

    line: int = field(default=0, kw_only=True)


@dataclass(slots=True)
class Evaluate(Statement):
    """An expression for its effect."""

    value: Expression


@dataclass(slots=True)
class Assign(Statement):
    """An assignment; with `declares` the names are new ones of this scope."""

    target: Target
    value: Expression
    declares: bool = True
    operator: str = ""


@dataclass(slots=True)
class If(Statement):
    """A branch."""

    test: Expression
    then: Sequence[Statement]
    otherwise: Sequence[Statement] = ()


@dataclass(slots=True)
class Switch(Statement):
    """A choice by value; a case without a value is the default. Cases fall through unless they break."""

    subject: Expression
    cases: Sequence[tuple[Sequence[Expression] | None, Sequence[Statement]]]


@dataclass(slots=True)
class ForEach(Statement):
    """A loop over the items of something, or with `keys` over its keys."""

    target: Target
    items: Expression
    body: Sequence[Statement]
    keys: bool = False


@dataclass(slots=True)
class While(Statement):
    """A loop as long as something is true."""

    test: Expression
    body: Sequence[Statement]
    step: Expression | None = None


@dataclass(slots=True)
class Try(Statement):
    """Statements whose errors may be handled; `catches` are the names of what each handler takes."""

    body: Sequence[Statement]
    handlers: Sequence["Handler"]
    final: Sequence[Statement] = ()


@dataclass(slots=True)
class Handler:
    """What happens with an error; no names means with any."""

    catches: Sequence[str]
    target: Target | None
    body: Sequence[Statement]


@dataclass(slots=True)
class Throw(Statement):
    """An error is raised; without a value, the one that is being handled."""

    value: Expression | None


@dataclass(slots=True)
class Return(Statement):
    """The function ends."""

    value: Expression | None


@dataclass(slots=True)
class Leave(Statement):
    """`break`, or with `again` `continue`."""

    again: bool = False


@dataclass(slots=True)
class Block(Statement):
    """Statements that belong together."""

    body: Sequence[Statement]


@dataclass(slots=True)
class Import(Statement):
    """Names taken from a module: pairs of the name there (`*` for the whole) and the name here.

    `level` counts the leading dots of a Python import.
    """

    module: str
    names: Sequence[tuple[str, str]]
    level: int = 0


@dataclass(slots=True)
class Export(Statement):
    """Names given out: pairs of the name here and the name outside; from another module when one is named."""

    names: Sequence[tuple[str, str]]
    module: str = ""
