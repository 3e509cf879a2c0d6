"""The three changes that protecting a server makes to a client's file, for every format alike."""

from dataclasses import dataclass
from typing import TypeAlias

from avow.core.canonical import JsonValue

Step: TypeAlias = str | int
"""One step into a document: the key of a member, or the index of an item."""

Location: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Replace:
    """Give a member this value; a member that is not there is added."""

    path: Location
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Prepend:
    """Put these strings before the first item of a list."""

    path: Location
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drop:
    """Take the first items off a list."""

    path: Location
    count: int


Edit: TypeAlias = Replace | Prepend | Drop
