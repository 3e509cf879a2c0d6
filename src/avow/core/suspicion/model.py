"""The value that every detector gives: a sign, the evidence for it, and for now its place."""

from dataclasses import dataclass
from typing import Final

from avow.core.printable import printable

_EXCERPT: Final = 80
_CONTEXT: Final = 12


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One sign in a text: which one, and the evidence, made safe to print."""

    sign: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """A suspicion and where it begins."""

    place: int
    suspicion: Suspicion


def excerpt(text: str, start: int, end: int) -> str:
    """A short piece of the text around a place, safe to print on one line."""
    return printable(text[max(0, start - _CONTEXT) : end + _CONTEXT], _EXCERPT, fold=True)
