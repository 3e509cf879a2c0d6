"""The values of a rating: levels, the rating itself, and the single findings it is made from."""

from dataclasses import dataclass
from enum import StrEnum

from avow.core.printable import printable


class Level(StrEnum):
    """The three levels of the rubric, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Position in the order, lowest first."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class Risk:
    """A level, and reasons that a person can check, the most important first."""

    level: Level
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of evidence: what level it shows, and in words what it is."""

    level: Level
    reason: str


def quoted(text: str) -> str:
    """A word of the server's, safe to print and short."""
    return '"' + printable(text, 60, fold=True) + '"'
