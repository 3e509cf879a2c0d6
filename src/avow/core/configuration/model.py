"""What a server needs to be told, in a model that holds everything that any of the known formats can say.

Values are not part of it: this is the form, not what somebody fills in.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

Scalar = str | int | float | bool

# Beyond this a double is no whole number that anybody would write out.
_LARGEST: Final = 1e15


def text_of(value: Scalar) -> str:
    """A value as it is written on a command line or into a variable."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        return str(int(value))
    return str(value)


class Where(StrEnum):
    """How a value reaches the server."""

    ENV = "env"
    ARGUMENT = "argument"
    HEADER = "header"
    URL_VARIABLE = "url_variable"
    FILE = "file"
    OTHER = "other"


class ValueType(StrEnum):
    """What a value has to be."""

    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    PATH = "path"
    URL = "url"
    ENUM = "enum"


class PathKind(StrEnum):
    """What a path has to lead to."""

    ANY = "any"
    FILE = "file"
    DIRECTORY = "directory"


class Style(StrEnum):
    """How an argument stands on a command line."""

    POSITIONAL = "positional"
    NAMED = "named"


class Origin(StrEnum):
    """Where we know a parameter from; the words are those of reports."""

    DECLARATION = "declaration"
    MANIFEST = "manifest"
    CODE = "code"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a parameter was found: how, in which format, and at which place a person can look."""

    origin: Origin
    format: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Binding:
    """How one value is handed over.

    `name` is the variable, the flag with its dashes, the header, the variable of an address, the file.
    A named argument is `--name value`, or `--name=value` where `joiner` is `=`; with an empty joiner a
    boolean is a switch, which is there or is not, and any other value follows the flag at once. A flag with
    an empty value stands alone. `order` sorts arguments; `repeat` writes the flag again for each of several
    values, instead of one flag before all of them. `runtime` arguments go to the program that starts the
    package. `template` is the text around the value, with `{}` in its place; where several parameters fill
    one template, each stands there as `{part}`.
    """

    where: Where
    name: str
    style: Style = Style.POSITIONAL
    order: int = 0
    joiner: str = " "
    repeat: bool = False
    runtime: bool = False
    template: str = "{}"
    part: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that a server wants to know.

    `aliases` are names of the same kind that do just as well. `fixed` is a value that nobody is asked for.
    `also` are further places where the same value goes, if it is not fixed.
    """

    key: str
    binding: Binding
    type: ValueType = ValueType.STRING
    description: str = ""
    title: str = ""
    required: bool = False
    secret: bool = False
    default: Scalar | tuple[Scalar, ...] | None = None
    fixed: str | None = None
    choices: tuple[str, ...] = ()
    multiple: bool = False
    separator: str = ""
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    examples: tuple[str, ...] = ()
    path_kind: PathKind = PathKind.ANY
    must_exist: bool = False
    help_url: str = ""
    aliases: tuple[str, ...] = ()
    also: tuple[Binding, ...] = ()
    source: Source = Source(Origin.DECLARATION)


class GroupRule(StrEnum):
    """How many of a group's ways have to be given."""

    ONE_OF = "one_of"
    ANY_OF = "any_of"


@dataclass(frozen=True, slots=True)
class Group:
    """Several ways to satisfy a server, each a set of keys: a token, or a user and a password."""

    rule: GroupRule
    ways: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything that a server wants to know, by key, and the groups of which some have to be given."""

    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()

    @classmethod
    def of(cls, parameters: Iterable[Parameter], groups: Iterable[Group] = ()) -> "Configuration":
        """The parameters by key; of several with one key, the last."""
        return cls({parameter.key: parameter for parameter in parameters}, tuple(groups))

    def __iter__(self) -> Iterator[Parameter]:
        """The parameters, in the order in which a person is asked for them."""
        return iter(self.parameters.values())
