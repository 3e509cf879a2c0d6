"""What a schema accepts, as a union of branches that each hold values of one kind.

A branch accepts what meets its own limits and all of its `conditions`. A condition is something we do
not reason about: its keyword and a digest of all that it says. Two equal conditions accept the same;
of two different ones nothing is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from avow.core.canonical import JsonValue
from avow.core.schema.document import Place

# All of these places must accept a value; no place at all accepts everything.
Node: TypeAlias = tuple[Place, ...]

ANYTHING: Final[Node] = ()
NO_CONDITIONS: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Values:
    """A few values, by their canonical bytes; null, true and false are always here."""

    values: Mapping[bytes, JsonValue]
    conditions: frozenset[str] = NO_CONDITIONS


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers between two limits that are multiples of all of `multiples`; integers are multiples of 1."""

    low: Fraction | None = None
    high: Fraction | None = None
    is_low_open: bool = False
    is_high_open: bool = False
    multiples: frozenset[Fraction] = frozenset()
    conditions: frozenset[str] = NO_CONDITIONS


@dataclass(frozen=True, slots=True)
class Strings:
    """Strings of a length between two limits; patterns and formats are conditions."""

    low: int = 0
    high: int | None = None
    conditions: frozenset[str] = NO_CONDITIONS


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays: a schema for each of the first items, one for the rest."""

    first: tuple[Node, ...] = ()
    rest: Node = ANYTHING
    low: int = 0
    high: int | None = None
    is_unique: bool = False
    conditions: frozenset[str] = NO_CONDITIONS

    def item(self, position: int) -> Node:
        """What the item at a position must be."""
        return self.first[position] if position < len(self.first) else self.rest


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects: a schema for each declared member, for each pattern of names, and for all others."""

    properties: Mapping[str, Node] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    patterns: Mapping[str, Node] = field(default_factory=dict)
    additional: Node = ANYTHING
    names: Node = ANYTHING
    low: int = 0
    high: int | None = None
    conditions: frozenset[str] = NO_CONDITIONS

    def member(self, name: str) -> Node:
        """What a member must be, as far as its name says without looking at patterns."""
        return self.properties.get(name, self.additional)


Branch: TypeAlias = Values | Numbers | Strings | Arrays | Objects
Shape: TypeAlias = tuple[Branch, ...]


def is_integer(numbers: Numbers) -> bool:
    """Whether only whole numbers are left."""
    return any(multiple.denominator == 1 for multiple in numbers.multiples)


def type_of(value: JsonValue) -> str:
    """The JSON type of a value; whole numbers are numbers."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def admits(branch: Branch, value: JsonValue, identity: bytes) -> bool | None:
    """Whether a value meets a branch's own limits, conditions aside; None when that is not known."""
    if isinstance(branch, Values):
        return identity in branch.values
    if isinstance(branch, Numbers):
        return type_of(value) == "number" and _is_within(branch, exact(value))
    if isinstance(branch, Strings):
        return isinstance(value, str) and _is_between(len(value), branch.low, branch.high)
    # Items and members would have to be looked into.
    is_of_its_type = isinstance(value, list if isinstance(branch, Arrays) else dict)
    is_free = branch == type(branch)(conditions=branch.conditions)
    return is_of_its_type and (True if is_free else None)


def exact(number: float) -> Fraction:
    """A number as it is written, not as a double holds it: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _is_within(numbers: Numbers, number: Fraction) -> bool:
    if numbers.low is not None and (number < numbers.low or (number == numbers.low and numbers.is_low_open)):
        return False
    if numbers.high is not None and (
        number > numbers.high or (number == numbers.high and numbers.is_high_open)
    ):
        return False
    return all((number / multiple).denominator == 1 for multiple in numbers.multiples)


def _is_between(length: int, low: int, high: int | None) -> bool:
    return low <= length and (high is None or length <= high)
