"""Server text made safe for a terminal: what would be hidden, reordered or obeyed is shown as an escape."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

ELLIPSIS: Final = "…"

_NOT_ASCII: Final = re.compile(r"[^\x20-\x7e]+")
_WHITE_SPACE: Final = re.compile(r"\s+")
_PLAIN_SPACE: Final = re.compile(r"[ \t\r\n]")
_ODD_SPACE: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f]")

# Characters that Unicode counts as letters, marks or the like, and that show nothing.
_BLANKS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
# Spaces of other widths are not "printable" to Python, yet harmless.
_HARMLESS: Final = frozenset(
    "\n\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
# The flags of England, Scotland and Wales are the only emoji spelled in tag characters.
_FLAGS: Final = ("gbeng", "gbsct", "gbwls")


def _in_tags(word: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in word) + "\U000e007f"


# An emoji glued by joiners, one variation selector after a visible character, a joiner inside a word of
# a script that needs it, a blank in Braille, a flag spelled in tag characters: ordinary writing, which stays.
_EMOJI: Final = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_COMPLEX_SCRIPT: Final = "[\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u18af]"
_DOTS: Final = "[\u2801-\u28ff]"
_ORDINARY: Final = (
    f"(?<={_EMOJI}|\ufe0f)\u200d(?={_EMOJI})"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<={_EMOJI})[\ufe0e\ufe0f](?![\ufe00-\ufe0f])"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff])[\U000e0100-\U000e01ef](?![\U000e0100-\U000e01ef])"
    f"|(?<={_COMPLEX_SCRIPT})[\u200c\u200d](?={_COMPLEX_SCRIPT})"
    f"|(?<={_DOTS})\u2800|\u2800(?={_DOTS})"
    f"|(?<=\U0001f3f4)(?:{'|'.join(map(_in_tags, _FLAGS))})"
)


def printable(text: str, limit: int | None = None, *, fold: bool = False) -> str:
    r"""The text with every unsafe character written as `\u{…}`, at most `limit` characters long.

    Line feeds and tabs stay; with `fold`, each run of white space becomes one space, for text that
    must fit on a line; where there is no plain space, as in most names, spaces of other kinds are
    written out, since nobody could tell them apart. What is cut off is replaced by an ellipsis.
    """
    if fold and not text.isascii() and not _PLAIN_SPACE.search(text):
        text = _ODD_SPACE.sub(lambda found: escape(found[0]), text)
    whole = _WHITE_SPACE.sub(" ", text).strip() if fold else text.replace("\r\n", "\n")
    if limit is None:
        return "".join(_pieces(whole))
    # Escaping never shortens, so one character beyond the limit is enough to know that there is more.
    shown = "".join(_pieces(whole[: limit + 1]))
    if len(shown) <= limit:
        return shown
    return shown[: max(limit - 1, 0)] + ELLIPSIS[:limit]


def hidden(text: str) -> Iterator[int]:
    """The places of characters that do not show or that a terminal would obey.

    What belongs to ordinary writing (line feeds, tabs, spaces of any width, emoji, scripts that need
    joiners) is not among them.
    """
    for run in _NOT_ASCII.finditer(text):
        if run[0].isprintable() and _BLANKS.isdisjoint(run[0]):
            continue
        skip = 0
        for place in range(run.start(), run.end()):
            if place < skip or not _is_hidden(text[place]):
                continue
            if ordinary := _ordinary().match(text, place):
                skip = ordinary.end()
            else:
                yield place


def hidden_in_name(name: str) -> Iterator[int]:
    """The places of characters that do not show in a name: no writing needs them, and a space is plain."""
    for run in _NOT_ASCII.finditer(name):
        for place in range(run.start(), run.end()):
            if not name[place].isprintable() or name[place] in _BLANKS:
                yield place


def mask_ordinary(text: str) -> str:
    """The text with dots for the hidden characters of ordinary writing, so that the others stand out."""
    return text if text.isascii() else _ordinary().sub(lambda found: "." * len(found[0]), text)


def escape(character: str) -> str:
    r"""The visible form of one character: `\u{…}` around its number."""
    return f"\\u{{{ord(character):x}}}"


@cache
def _ordinary() -> re.Pattern[str]:
    """Compiled when a text needs it, which few do: it takes as long as loading all the rest."""
    return re.compile(_ORDINARY)


def _is_hidden(character: str) -> bool:
    if character.isprintable():
        return character in _BLANKS
    return character not in _HARMLESS


def _pieces(text: str) -> Iterator[str]:
    done = 0
    for place in hidden(text):
        yield text[done:place]
        yield escape(text[place])
        done = place + 1
    yield text[done:]
