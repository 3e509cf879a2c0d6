"""Finds characters that hide, reorder or are obeyed: zero widths, tag characters, overrides, escapes."""

import re
from collections.abc import Iterator
from typing import Final

from avow.core.printable import escape, hidden_in_name, mask_ordinary, printable
from avow.core.suspicion.model import Sighting, Suspicion, excerpt

_TAGS: Final = "\U000e0000-\U000e007f"
_BIDIRECTIONAL: Final = "\u202a-\u202e\u2066-\u2069"
# Default-ignorable characters, letters that show nothing, variation selectors.
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e0fff"
    # Private use: what these show, if anything, is between the sender and the reader.
    "\ue000-\uf8ff\U000f0000-\U0010ffff"
)
# Braille without a dot looks like a space and is none.
_BLANK: Final = "\u2800"
# A carriage return before a line feed is a line end; alone it overwrites the line.
_CONTROL: Final = "(?:[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n))+"
_RUN: Final = re.compile(
    f"(?P<tags>[{_TAGS}]+)|(?P<bidirectional>[{_BIDIRECTIONAL}]+)|(?P<invisible>[{_INVISIBLE}]+)"
    f"|(?P<blank>{_BLANK}+)|(?P<terminal>{_CONTROL})"
)
_SIGNS: Final = {
    "tags": "tag-characters",
    "bidirectional": "bidirectional",
    "blank": "invisible",
    "invisible": "invisible",
    "terminal": "terminal-escape",
}
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# One of these makes no secret: it is a remnant of editing, or guides a line break or a direction.
_MARKS: Final = frozenset("\u200e\u200f\u061c")
_BYTE_ORDER_MARK: Final = "\ufeff"
_SOFT_HYPHEN: Final = "\u00ad"


def character_sightings(text: str) -> Iterator[Sighting]:
    """Every run of characters that a reader does not see, or that a terminal obeys."""
    masked = mask_ordinary(text)
    for run in _RUN.finditer(masked):
        kind = str(run.lastgroup)
        if kind == "invisible" and _is_innocent(masked, run.start(), run[0]):
            continue
        if kind == "tags":
            evidence = f"hidden text: {printable(_decoded(run[0]), 200, fold=True)}"
        else:
            evidence = excerpt(text, run.start(), run.end())
        yield Sighting(run.start(), Suspicion(_SIGNS[kind], evidence))


def visible(text: str) -> str:
    """The text as a reader sees it: nothing hidden between its letters, tag characters spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return _RUN.sub(lambda run: _seen(run[0], str(run.lastgroup)), text)


def name_sightings(name: str) -> Iterator[Sighting]:
    """Every character of a name that a reader does not see or cannot tell from another; none is innocent."""
    places = list(hidden_in_name(name))
    if places:
        hidden = set(places)
        shown = "".join(escape(letter) if i in hidden else letter for i, letter in enumerate(name))
        run = _RUN.match(name, places[0])
        sign = _SIGNS[str(run.lastgroup)] if run else "invisible"
        yield Sighting(places[0], Suspicion(sign, printable(shown, 80, fold=True)))


def _seen(run: str, kind: str) -> str:
    if kind == "tags":
        return _decoded(run)
    return " " if kind == "blank" else ""


def _decoded(tags: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in tags)


def _is_innocent(text: str, start: int, run: str) -> bool:
    if len(run) > 1:
        return False
    if run == _SOFT_HYPHEN:
        return text[start - 1 : start].isalpha() and text[start + 1 : start + 2].isalpha()
    if run in _MARKS:
        return bool(_RIGHT_TO_LEFT.search(text))
    return run == _BYTE_ORDER_MARK and start == 0
