"""The value that every detector gives: a sign, the evidence for it, and for now its place."""

from dataclasses import dataclass
from typing import Final

from avow.core.printable import ELLIPSIS, printable

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
    """A short piece of the text around a place, in whole words and safe to print on one line."""
    first, last = _word_start(text, start), _word_end(text, end)
    shown = printable(text[first:last], _EXCERPT, fold=True)
    if shown.endswith(ELLIPSIS) and " " in shown:
        shown = f"{shown.rpartition(' ')[0]} {ELLIPSIS}"
    elif text[last:].strip():
        shown = f"{shown} {ELLIPSIS}" if text[last : last + 1].isspace() else shown + ELLIPSIS
    if text[:first].strip():
        shown = f"{ELLIPSIS} {shown}" if text[first - 1].isspace() else ELLIPSIS + shown
    return shown


def _word_start(text: str, place: int) -> int:
    """Where the first whole word of the context before a place begins; far inside a word, its middle."""
    begin = max(0, place - _CONTEXT)
    if begin == 0 or text[begin - 1].isspace():
        return begin
    return next((i + 1 for i in range(begin, place) if text[i].isspace()), begin)


def _word_end(text: str, place: int) -> int:
    """Where the last whole word of the context after a place ends; far inside a word, its middle."""
    end = min(len(text), place + _CONTEXT)
    if end == len(text) or text[end].isspace():
        return end
    return next((i for i in range(end - 1, place - 1, -1) if text[i].isspace()), end)
