"""Finds letters that look like others: a Cyrillic "а" in a word that is otherwise Latin."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from avow.core.suspicion.model import Sighting, Suspicion, excerpt

# Cyrillic, Greek, Armenian and other letters that most fonts draw like an ASCII letter.
_LOOKS: Final = {
    "а": "a", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "ӏ": "l", "о": "o", "р": "p",
    "ԛ": "q", "ѕ": "s", "у": "y", "х": "x", "ԝ": "w", "ѵ": "v", "А": "A", "В": "B", "С": "C", "Е": "E",
    "Н": "H", "І": "I", "Ј": "J", "К": "K", "М": "M", "О": "O", "Р": "P", "Ѕ": "S", "Т": "T", "У": "Y",
    "Х": "X", "ο": "o", "ν": "v", "ι": "i", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I",
    "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O", "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X", "ɑ": "a", "ɡ": "g",
    "ı": "i", "օ": "o", "ո": "n", "ս": "u", "ց": "g", "հ": "h", "ք": "p", "ϲ": "c", "ϳ": "j", "к": "k",
    "ԍ": "g", "ᴄ": "c", "ᴏ": "o", "ᴠ": "v", "ᴡ": "w", "ᴢ": "z", "ꜱ": "s",
}  # fmt: skip
_WORD: Final = re.compile(r"[^\W\d_]+")
_ASCII: Final = re.compile("[A-Za-z]")


class _Table(dict[int, str]):
    """Maps look-alikes, and the fullwidth and mathematical alphabets, to ASCII; remembers the rest."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        plain = unicodedata.normalize("NFKC", character) if number > 0x2100 else character
        self[number] = plain if len(plain) == 1 and plain.isascii() else character
        return self[number]


def skeleton(text: str) -> str:
    """The text with every letter replaced by the ASCII letter that it looks like; the length stays."""
    return text if text.isascii() else text.translate(_Table(str.maketrans(_LOOKS)))


def mixed_words(text: str) -> Iterator[Sighting]:
    """Words with ASCII letters and letters that only look like ASCII ones."""
    if text.isascii():
        return
    for word in _WORD.finditer(text):
        if not word[0].isascii() and _ASCII.search(word[0]) and skeleton(word[0]).isascii():
            yield _sighting(word)


def look_alike_words(name: str) -> Iterator[Sighting]:
    """Words of an identifier that read as ASCII and are not."""
    for word in _WORD.finditer(name):
        if not word[0].isascii() and skeleton(word[0]).isascii():
            yield _sighting(word)


def _sighting(word: re.Match[str]) -> Sighting:
    letters = " ".join(f"U+{ord(letter):04X}" for letter in word[0][:20] if not letter.isascii())
    shown = excerpt(word[0], 0, len(word[0]))
    evidence = f"{shown} looks like {excerpt(skeleton(word[0]), 0, len(word[0]))} ({letters})"
    return Sighting(word.start(), Suspicion("homoglyph", evidence))
