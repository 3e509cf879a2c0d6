"""Texts as words that can be looked up, the same for both databases.

What a server wrote is cut into words here, once, so that neither database parses anything of it.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MAX_WORDS: Final = 400
MAX_WORD: Final = 40
MAX_QUERY_WORDS: Final = 12
_MAX_TEXT: Final = 20_000

# Linear: one class of characters each. `readFile2` is read, file and 2; what has no blanks goes by character.
_RUN: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_FIRST_WITHOUT_BLANKS: Final = "\u2e80"


def words_of(texts: Iterable[str], limit: int = MAX_WORDS) -> list[str]:
    """The different words in these texts, in the order in which they first occur."""
    found: dict[str, None] = {}
    for text in texts:
        folded = text[:_MAX_TEXT]
        if not folded.isascii():
            folded = unicodedata.normalize("NFKC", folded)
        for run in _RUN.findall(folded):
            found[run.casefold()[:MAX_WORD]] = None
            parts = _PART.findall(run)
            if len(parts) > 1 or not run.isascii():
                found.update(dict.fromkeys(_spread(parts)))
        if len(found) >= limit:
            break
    return list(found)[:limit]


def _spread(parts: list[str]) -> Iterable[str]:
    for part in parts:
        if part >= _FIRST_WITHOUT_BLANKS:
            yield from part[:MAX_WORD]
        else:
            yield part.casefold()[:MAX_WORD]


def query_words(text: str) -> list[str]:
    """The words to look for; the last may be the beginning of one."""
    runs = _RUN.findall(unicodedata.normalize("NFKC", text[:_MAX_TEXT]))
    words: dict[str, None] = {}
    for run in runs:
        spread = list(_spread([run])) if run >= _FIRST_WITHOUT_BLANKS else [run.casefold()[:MAX_WORD]]
        words.update(dict.fromkeys(spread))
    return list(words)[:MAX_QUERY_WORDS]


def sqlite_query(words: list[str]) -> str:
    """The words as FTS5 wants them: all of them, the last one as a beginning."""
    return " AND ".join(f'"{word}"' for word in words) + "*"


def postgresql_query(words: list[str]) -> str:
    """The same as a tsquery."""
    return " & ".join(f"'{word}'" for word in words) + ":*"
