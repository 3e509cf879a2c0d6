"""Two input schemas, compared by what they accept."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.schema.differences import Difference, Direction
from avow.core.schema.document import STEPS, Budget, Document, TooLargeError
from avow.core.schema.explain import Explainer
from avow.core.schema.normalise import Reader
from avow.core.schema.phrases import shown
from avow.core.schema.raw import Edit, edits, members
from avow.core.schema.vocabulary import escape, is_foreign, is_telling
from avow.core.schema.words import Words, is_said, told_apart

_NOTATION: Final = {
    "$anchor": "references",
    "$defs": "references",
    "$ref": "references",
    "$schema": "$schema dialect",
    "allOf": "form of combinations",
    "anyOf": "form of alternatives",
    "const": "form of values",
    "definitions": "references",
    "enum": "order of values",
    "oneOf": "form of alternatives",
    "type": "form of types",
}
_WORDS: Final = "words in another place"
_BOUNDS: Final = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum")
_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two schemas differ: in what they accept, in words for readers, and in keywords nobody knows."""

    differences: tuple[Difference, ...]
    told: tuple[Edit, ...]
    foreign: tuple[Edit, ...]


def compare(before: JsonValue, after: JsonValue, budget: Budget | None = None) -> Comparison:
    """Compare two schemas; what takes too long to compare counts as accepting more.

    `budget` is shared by many comparisons: one alone takes a part of it.
    """
    whole = budget or Budget()
    own = Budget(min(STEPS, whole.left))
    granted = own.left
    try:
        return _compare(before, after, own)
    except TooLargeError:
        text = "the input changed and is too large to compare"
        lost = Difference("", "changed", Direction.WIDENS, text, before, after)
        return Comparison((lost,), (), ())
    finally:
        whole.left -= granted - max(own.left, 0)


def _compare(before: JsonValue, after: JsonValue, budget: Budget) -> Comparison:
    old, new = Document(before, budget), Document(after, budget)
    explainer = Explainer(Reader(old), Reader(new))
    found = explainer.explain()
    found.extend(_hidden(old, new, found))
    written = list(edits(before, after))
    told, moved = told_apart(Words(old), Words(new), written)
    # The words of a part that is new altogether need no telling of their own.
    whole = _widening(found)
    told = [edit for edit in told if not any(_is_inside(edit.path, path) for path in whole)]
    if not explainer.is_cut:
        judged = [edit for edit in written if not is_said(edit.keyword)]
        found.extend(_notation([*judged, *moved], found))
    foreign = tuple(edit for edit in told if is_foreign(edit.keyword))
    return Comparison(tuple(found), tuple(edit for edit in told if is_telling(edit.keyword)), foreign)


def _hidden(old: Document, new: Document, found: list[Difference]) -> Iterator[Difference]:
    """Members that are declared for the first time inside a condition."""
    known = members(old, conditional=False)
    reported = _widening(found)
    for name, pointer in members(new, conditional=True).items():
        if name not in known and not any(_is_inside(pointer, path) for path in reported):
            text = f"accepts a new argument '{shown(name)}' under a condition"
            yield Difference(pointer, "added", Direction.WIDENS, text)


def _widening(found: list[Difference]) -> list[str]:
    """The places of all that is new and accepted."""
    return [one.path for one in found if one.change == "added" and one.direction is Direction.WIDENS]


def _notation(judged: list[Edit], found: list[Difference]) -> Iterator[Difference]:
    paths = {difference.path for difference in found}
    for edit in judged[:_SHOWN]:
        if any(_is_inside(edit.path, path) or _is_inside(path, edit.path) for path in paths):
            continue
        if edit.keyword == "required" and _is_told(edit, paths):
            continue
        yield Difference(
            edit.path, edit.change, Direction.NOTATION, _notation_of(edit), edit.before, edit.after
        )


def _is_told(edit: Edit, paths: Set[str]) -> bool:
    """Whether all that is new or gone in a list of required members was told of the members themselves."""
    old, new = (
        {str(name) for name in value} if isinstance(value, list) else set()
        for value in (edit.before, edit.after)
    )
    holder = edit.path.removesuffix("/required")
    return old != new and all(f"{holder}/properties/{escape(name)}" in paths for name in old ^ new)


def _notation_of(edit: Edit) -> str:
    if is_said(edit.keyword):
        return _WORDS
    if edit.keyword == "required" and edit.change == "changed":
        return "order of required"
    if edit.keyword in _BOUNDS:
        return "bounds spelled out" if edit.change == "added" else "form of bounds"
    return _NOTATION.get(edit.keyword, f"form of {edit.keyword}")


def _is_inside(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")
