"""Old and new wording beside each other: the words that differ, with a little of what surrounds them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from avow.core.printable import ELLIPSIS, printable

# Comparing words costs the product of both lengths; a server may send as many as it likes.
_MOST_WORDS: Final = 600
_CONTEXT: Final = 6
# An ellipsis for a word or two saves nothing and hides them.
_WORTHWHILE: Final = 4
_LONGEST_WORD: Final = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words; `differs` when the other side does not have them here."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class WordDiff:
    """The two sides as pieces to join with spaces; common words far from a difference are left out."""

    old: tuple[Piece, ...]
    new: tuple[Piece, ...]


def word_diff(before: str, after: str) -> WordDiff:
    """Compare two texts word by word, safe to print and short enough to read."""
    old, new = before.split(), after.split()
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle_old = old[head : len(old) - tail]
    middle_new = new[head : len(new) - tail]
    lead = _piece(_end(old[:head]))
    rest = _piece(_start(old[len(old) - tail :]))
    parts = [*_compare(middle_old, middle_new)]
    sides = ([a for a, _ in parts], [b for _, b in parts])
    return WordDiff(*(tuple(piece for piece in (lead, *side, rest) if piece.text) for side in sides))


def _compare(old: list[str], new: list[str]) -> Iterator[tuple[Piece, Piece]]:
    if max(len(old), len(new)) > _MOST_WORDS:
        yield _differing(old), _differing(new)
        return
    for operation, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            same = _piece(_ends(old[i1:i2]))
            yield same, same
        else:
            yield _differing(old[i1:i2]), _differing(new[j1:j2])


def _differing(words: list[str]) -> Piece:
    shown = words if len(words) <= 80 else [*words[:60], f"{ELLIPSIS} {len(words) - 60} more words"]
    return _piece(shown, differs=True)


def _piece(words: list[str], *, differs: bool = False) -> Piece:
    return Piece(" ".join(printable(word, _LONGEST_WORD) for word in words), differs)


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        count += 1
    return count


def _end(words: list[str]) -> list[str]:
    return words if len(words) < _CONTEXT + _WORTHWHILE else [ELLIPSIS, *words[-_CONTEXT:]]


def _start(words: list[str]) -> list[str]:
    return words if len(words) < _CONTEXT + _WORTHWHILE else [*words[:_CONTEXT], ELLIPSIS]


def _ends(words: list[str]) -> list[str]:
    if len(words) < 2 * _CONTEXT + _WORTHWHILE:
        return words
    return [*words[:_CONTEXT], ELLIPSIS, *words[-_CONTEXT:]]
