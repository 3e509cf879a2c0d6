"""What argument parsers have in common: arguments that are declared first and asked for later."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from avow.core.configuration.model import Style, ValueType, Where
from avow.system.diagnosis.code.ledger import Seen, Ways
from avow.system.diagnosis.code.values import (
    NOTHING,
    Configured,
    Known,
    Program,
    Request,
    Value,
    Word,
    ways_of,
)

_WORDS: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(slots=True)
class Argument:
    """An option by its flags, or a positional argument by its name.

    `required` may depend on what is given; `variables` are environment variables that do as well.
    """

    name: str
    request: Request
    flags: Sequence[str] = ()
    required: Value = field(default=Known(value=False))
    default: Value = NOTHING
    variables: Sequence[str] = ()
    description: str = ""
    type: ValueType | None = None
    choices: Sequence[str] = ()
    multiple: bool = False
    switch: bool = False
    order: int = 0

    @property
    def key(self) -> str:
        """What it is known under: its longest flag, or `<name>`."""
        return max(self.flags, key=len) if self.flags else f"<{self.name}>"

    @property
    def attribute(self) -> str:
        """The name under which its value is found."""
        return self.name


def asked(program: Program, argument: Argument) -> Value:
    """The value of an argument, from wherever it may come; the program ends when it has to be given."""
    place = f"{argument.request.module.name}:{argument.request.line}"
    key = program.ledger.see(
        Seen(
            argument.key,
            Where.ARGUMENT,
            argument.key,
            place,
            Style.NAMED if argument.flags else Style.POSITIONAL,
            order=argument.order,
            description=argument.description,
            type=argument.type,
            choices=tuple(argument.choices),
            multiple=argument.multiple,
            switch=argument.switch,
        )
    )
    ways: Ways = (frozenset({key}),)
    for name in argument.variables:
        program.variable(name, argument.request.module.scope, argument.request.line)
        ways = (*ways, frozenset({name}))
    if argument.default != NOTHING and not isinstance(argument.default, Configured):
        shown = str(argument.default.value) if isinstance(argument.default, Known) else None
        program.ledger.defaulted([each for way in ways for each in way], shown)
    value = Configured(ways, argument.default, Word(key))
    truth = program.truth(argument.required)
    if truth.value and program.truth(value).value is False and program.settle(value) == NOTHING:
        needed = tuple(dict.fromkeys((*ways, *ways_of(argument.default), *truth.ways)))
        program.insist(needed, "UsageError", place, "the argument parser requires it")
    return value


def subcommand(program: Program, names: Sequence[str], request: Request) -> str | None:
    """The subcommand that a user would give, which is needed; None while it is unclear which."""
    if not names:
        return None
    key = "<command>"
    place = f"{request.module.name}:{request.line}"
    program.ledger.see(
        Seen(key, Where.ARGUMENT, key, place, Style.POSITIONAL, order=-1, choices=tuple(names[:20]))
    )
    for name in names:
        program.ledger.compare([key], name)
    if key not in program.given:
        program.insist((frozenset({key}),), "UsageError", place, "a subcommand is required")
    return program.ledger.chosen(key) or names[0]


def type_by_name(name: str) -> ValueType | None:
    """What a parser's own word for a type means."""
    match name.rpartition(".")[2]:
        case "int":
            return ValueType.INTEGER
        case "float" | "Number" | "number":
            return ValueType.NUMBER
        case "bool" | "Boolean" | "boolean":
            return ValueType.BOOLEAN
        case "Path" | "FileType" | "File" | "path":
            return ValueType.PATH
        case _:
            return None


def attribute_name(flag: str) -> str:
    """The name under which Python's parsers keep the value of a flag."""
    return _WORDS.sub("_", flag.lstrip("-"))


def camel_name(flag: str) -> str:
    """The name under which JavaScript's parsers keep the value of a flag."""
    first, *others = flag.lstrip("-").split("-")
    return first + "".join(other[:1].upper() + other[1:] for other in others)
