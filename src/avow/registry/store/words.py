"""Texts as words that can be looked up, the same for both databases.

What a server wrote is cut into words here, once, so that neither database parses anything of it.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MAX_WORDS: Final = 400
MAX_WORD: Final = 40
MAX_QUERY_TERMS: Final = 12
_MAX_TEXT: Final = 20_000

# Linear: one class of characters each. `readFile` is read and file; what has no blanks goes by character.
_RUN: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z0-9]+(?![a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+")
# Nearly every text has them: they find nothing, and cost the most.
_COMMON: Final = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it"),
        *("of", "on", "or", "that", "the", "this", "to", "with", "you", "your"),
    }
)
_FIRST_WITHOUT_BLANKS: Final = "\u2e80"


def words_of(texts: Iterable[str], limit: int = MAX_WORDS) -> list[str]:
    """The different words in these texts, in the order in which they first occur."""
    found: dict[str, None] = {}
    for text in texts:
        for run in _runs(text):
            found[_folded(run)] = None
            parts = _PART.findall(run)
            if len(parts) > 1 or not run.isascii():
                found.update(dict.fromkeys(_spread(parts)))
        if len(found) >= limit:
            break
    return list(found)[:limit]


def _runs(text: str) -> list[str]:
    cut = text[:_MAX_TEXT]
    return _RUN.findall(cut if cut.isascii() else unicodedata.normalize("NFKC", cut))


def _folded(word: str) -> str:
    """One spelling for a word and its plural, in any case; crude, and the same on both sides."""
    folded = word.casefold()[:MAX_WORD]
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and folded[-2] != "s" else folded


def _spread(parts: list[str]) -> Iterable[str]:
    for part in parts:
        if part >= _FIRST_WITHOUT_BLANKS:
            yield from (character.casefold() for character in part[:MAX_WORD])
        else:
            yield _folded(part)


@dataclass(frozen=True, slots=True)
class Term:
    """A word to look for, or else all of the words that it may be made of."""

    word: str
    parts: tuple[str, ...] = ()


def query_terms(text: str) -> list[Term]:
    """What to look for: all of these; words that every text has count only when there are no others."""
    terms: dict[Term, None] = {}
    for run in _runs(text):
        parts = tuple(_spread(_PART.findall(run)))
        if run >= _FIRST_WITHOUT_BLANKS:
            terms.update(dict.fromkeys(map(Term, parts)))
            continue
        terms[Term(_folded(run), parts if len(parts) > 1 else ())] = None
    telling = [term for term in terms if term.word not in _COMMON]
    return (telling or list(terms))[:MAX_QUERY_TERMS]


def sqlite_query(terms: Sequence[Term]) -> str:
    """The terms as FTS5 wants them."""
    return _query(terms, '"{}"', " AND ", " OR ")


def postgresql_query(terms: Sequence[Term]) -> str:
    """The same as a tsquery."""
    return _query(terms, "'{}'", " & ", " | ")


def _query(terms: Sequence[Term], quoted: str, and_: str, or_: str) -> str:
    """Words are letters and digits only: nothing in them could end a quotation."""
    written = []
    for term in terms:
        alternatives = [quoted.format(term.word)]
        if term.parts:
            alternatives.append(f"({and_.join(quoted.format(part) for part in term.parts)})")
        written.append(f"({or_.join(alternatives)})")
    return and_.join(written)
