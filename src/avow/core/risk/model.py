"""The values of a rating: levels, the rating itself, and the single findings it is made from."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from avow.core.printable import printable

_QUOTED: Final = 60


class Level(StrEnum):
    """The three levels of the rubric, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Position in the order, lowest first."""
        return _RANKS[self]


_RANKS: Final = {level: rank for rank, level in enumerate(Level)}


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
    # One short plain word, as most are: nothing of it could be hidden, folded or cut.
    if len(text) <= _QUOTED and text.isascii() and text.isprintable() and " " not in text:
        return f'"{text}"'
    return f'"{printable(text, _QUOTED, fold=True)}"'
