"""Code in the few terms that the audit needs, the same for every language.

A reader of a language turns its syntax trees into these; what it has no term for becomes `Other` or `Block`
with everything that is inside, so that nothing is lost to whoever walks through. `a.b`, `a["b"]`,
`a?.b` and `a.get("b")` are all a `Member`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from avow.audit.model import Place
from avow.audit.source.spans import Span


class _Node(msgspec.Struct, gc=False, eq=False):
    span: Span

    @property
    def place(self) -> Place:
        """Where it stands, for people."""
        return self.span.place


class Name(_Node):
    """A variable."""

    name: str


class Literal(_Node):
    """A text, a number, a truth value, or nothing."""

    value: str | int | float | bool | None


class Member(_Node):
    """A member that is named in the code."""

    object: "Expression"
    name: str


class Item(_Node):
    """A member whose name is computed."""

    object: "Expression"
    index: "Expression"


class Call(_Node):
    """A call, of a constructor too."""

    function: "Expression"
    arguments: tuple["Expression", ...]
    named: tuple[tuple[str, "Expression"], ...] = ()


class Record(_Node):
    """An object or a dictionary; an entry without a key is spread into it."""

    entries: tuple[tuple[str | None, "Expression"], ...]


class Several(_Node):
    """A list, a tuple or a set."""

    items: tuple["Expression", ...]


class Choice(_Node):
    """One of two values, by a test."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"


class Joined(_Node):
    """Two values joined by `and`, `or` or `??`; the operator is one of these words."""

    operator: str
    left: "Expression"
    right: "Expression"


class Not(_Node):
    """A negation."""

    value: "Expression"


class Comparison(_Node):
    """Two values compared; the operator is `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` or `not in`."""

    operator: str
    left: "Expression"
    right: "Expression"


class Function(_Node):
    """A function, with or without a name; `decorators` are the expressions that stand above it.

    `contexts` are those of its parameters that are said to be a session's context.
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple["Statement", ...]
    decorators: tuple["Expression", ...] = ()
    contexts: tuple[str, ...] = ()


class Other(_Node):
    """Something else, with the expressions inside."""

    parts: tuple["Expression", ...] = ()


Expression: TypeAlias = (
    Name
    | Literal
    | Member
    | Item
    | Call
    | Record
    | Several
    | Choice
    | Joined
    | Not
    | Comparison
    | Function
    | Other
)


class Assign(_Node):
    """A value gets a name, or a place in something; taking a record apart is several of these."""

    target: Expression
    value: Expression


class If(_Node):
    """A branch."""

    test: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...] = ()


class Switch(_Node):
    """A branch by value; a case without values is the default."""

    subject: Expression
    cases: tuple[tuple[tuple[Expression, ...], tuple["Statement", ...]], ...]


class Return(_Node):
    """The end of a function."""

    value: Expression | None = None


class Raise(_Node):
    """The end of a function by an error."""

    value: Expression | None = None


class Delete(_Node):
    """Something is taken out."""

    target: Expression


class Evaluate(_Node):
    """An expression for its effect."""

    value: Expression


class Class(_Node):
    """A class: its name, what stands in it, and what it extends; fields are assignments.

    `sdk` is what an SDK calls it when it is one of an SDK's own classes, bundled with the server: then what
    stands in it is left out, since nobody here wrote it.
    """

    name: str
    body: tuple["Statement", ...]
    bases: tuple[Expression, ...] = ()
    sdk: str = ""


class Block(_Node):
    """A loop, a `try`, a `with`: expressions, and statements that may run."""

    expressions: tuple[Expression, ...]
    body: tuple["Statement", ...]


Statement: TypeAlias = Assign | If | Switch | Return | Raise | Delete | Evaluate | Class | Block | Function


class Imported(msgspec.Struct, frozen=True, gc=False):
    """A name that comes from another module: which module, and what it is called there."""

    module: str
    name: str


class Unit(msgspec.Struct, frozen=True):
    """One file: what it imports by local name, and what stands in it.

    `everything_of` names the modules whose names are all brought in (`export * from`, `import *`);
    `is_whole` is false when something in it was nested too deep to be read.
    """

    path: str
    imports: dict[str, Imported]
    body: tuple[Statement, ...]
    everything_of: tuple[str, ...] = ()
    is_whole: bool = True


Node: TypeAlias = Expression | Statement

# What stands directly inside a node, in the order of the text: a table, since every walk asks every node.
_INSIDE: Final[dict[type, Callable[[Any], Sequence[Node]]]] = {
    Name: lambda _: (),
    Literal: lambda _: (),
    Member: lambda node: (node.object,),
    Item: lambda node: (node.object, node.index),
    Call: lambda node: (node.function, *node.arguments, *(value for _, value in node.named)),
    Record: lambda node: [value for _, value in node.entries],
    Several: lambda node: node.items,
    Choice: lambda node: (node.test, node.then, node.otherwise),
    Joined: lambda node: (node.left, node.right),
    Comparison: lambda node: (node.left, node.right),
    Not: lambda node: (node.value,),
    Function: lambda node: (*node.decorators, *node.body),
    Other: lambda node: node.parts,
    Assign: lambda node: (node.target, node.value),
    If: lambda node: (node.test, *node.then, *node.otherwise),
    Switch: lambda node: (
        node.subject,
        *(inner for values, body in node.cases for inner in (*values, *body)),
    ),
    Return: lambda node: () if node.value is None else (node.value,),
    Raise: lambda node: () if node.value is None else (node.value,),
    Delete: lambda node: (node.target,),
    Evaluate: lambda node: (node.value,),
    Class: lambda node: (*node.bases, *node.body),
    Block: lambda node: (*node.expressions, *node.body),
}


def walk(*roots: Node) -> Iterator[Node]:
    """Every node, outer ones first, in the order of the text."""
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(_INSIDE[type(node)](node)))


def walk_outside_functions(*roots: Node) -> Iterator[Node]:
    """Every node but those inside of functions, which are there themselves."""
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        yield node
        if type(node) is not Function:
            stack.extend(reversed(_INSIDE[type(node)](node)))


def chain(node: Expression) -> tuple[Expression, tuple[str, ...]]:
    """Where a chain of members begins, and the members: `a.b["c"]` is `a` with `b`, `c`."""
    members: list[str] = []
    while isinstance(node, Member):
        members.append(node.name)
        node = node.object
    return node, tuple(reversed(members))


def last_name(node: Expression) -> str:
    """What a function or a variable is called, without what it belongs to; empty when it has no name."""
    match node:
        case Name() | Member():
            return node.name
        case _:
            return ""


def words_of(node: Node) -> Iterator[str]:
    """The names and texts that a node itself mentions, keys and named arguments included."""
    match node:
        case Name(name=name) | Member(name=name) | Function(name=name):
            yield name
        case Literal(value=str() as text):
            yield text
        case Record(entries=entries):
            yield from (key for key, _ in entries if key)
        case Call(named=named):
            yield from (key for key, _ in named)
        case _:
            pass
