"""The differences that comparing two schemas finds."""

from dataclasses import dataclass
from enum import Enum

from avow.core.canonical import JsonValue


class Direction(Enum):
    """What a difference does to the set of accepted inputs."""

    WIDENS = "widens"
    NARROWS = "narrows"
    NOTATION = "notation"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two schemas differ: a JSON pointer, what happened there, and what it does.

    `change` is `added`, `removed` or `changed`. The summary of a mere notation says how it is written.
    """

    path: str
    change: str
    direction: Direction
    summary: str
    before: JsonValue = None
    after: JsonValue = None


def either(*, widens: bool) -> Direction:
    """The direction of a difference that is not mere notation."""
    return Direction.WIDENS if widens else Direction.NARROWS
