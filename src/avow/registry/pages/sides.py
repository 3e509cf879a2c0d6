"""Two values beside each other, with what differs marked: words of texts, lines of documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.printable import ELLIPSIS
from avow.core.readable_json import readable_json
from avow.core.word_diff import Piece, word_diff
from avow.registry.pages.showing import line

# Comparing lines costs the product of both numbers.
_MOST_LINES: Final = 400
_CONTEXT: Final = 3
_LONGEST_LINE: Final = 240


@dataclass(frozen=True, slots=True)
class Sides:
    """Pieces of either side; `is_text` when they are words, lines of JSON otherwise. None is nothing."""

    old: tuple[Piece, ...] | None
    new: tuple[Piece, ...] | None
    is_text: bool


def text_sides(before: str | None, after: str | None) -> Sides:
    """Two texts, word by word."""
    words = word_diff(before or "", after or "")
    return Sides(None if before is None else words.old, None if after is None else words.new, True)


def document_sides(before: JsonValue, after: JsonValue, change: str = "changed") -> Sides:
    """Two documents, line by line; `change` says which of them was not there at all."""
    if isinstance(before, str) and isinstance(after, str):
        return text_sides(before, after)
    old = [] if change == "added" else _lines(before)
    new = [] if change == "removed" else _lines(after)
    pairs = list(_compared(old, new))
    sides = [tuple(piece for pieces in side for piece in pieces) for side in zip(*pairs, strict=True)] or [
        (),
        (),
    ]
    return Sides(
        None if change == "added" else sides[0], None if change == "removed" else sides[1], is_text=False
    )


def _lines(value: JsonValue) -> list[str]:
    lines = readable_json(value).decode().splitlines()
    if len(lines) > _MOST_LINES:
        return [*lines[:_MOST_LINES], f"{ELLIPSIS} {len(lines) - _MOST_LINES} more lines"]
    return lines


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[list[Piece], list[Piece]]]:
    for operation, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            same = _pieces(_ends(old[i1:i2]), differs=False)
            yield same, same
        else:
            yield _pieces(old[i1:i2], differs=True), _pieces(new[j1:j2], differs=True)


def _pieces(lines: Sequence[str], *, differs: bool) -> list[Piece]:
    return [Piece(_shown(each), differs) for each in lines]


def _shown(text: str) -> str:
    """One line with its indentation."""
    bare = text.lstrip(" ")
    return text[: len(text) - len(bare)] + line(bare, _LONGEST_LINE)


def _ends(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= 2 * _CONTEXT + 1:
        return lines
    return [*lines[:_CONTEXT], ELLIPSIS, *lines[-_CONTEXT:]]
