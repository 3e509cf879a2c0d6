"""Finds the phrases of `rules` in a text, in one pass over its words."""

import itertools
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, TypeAlias

from avow.core.suspicion.languages import OTHER_LETTERS, PLAIN_LETTERS
from avow.core.suspicion.model import Sighting, Suspicion, excerpt
from avow.core.suspicion.rules import CREDENTIAL_PATHS, ENCODED, MARKUP, RULES, Rule

# How far a sentence is followed: longer ones are cut here.
_SENTENCE: Final = 200

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SPACES: Final = re.compile(r"[^\S\n]+")
# To a reader, hyphens between words are spaces.
_HYPHENS: Final = re.compile(r"(?<=[^\W\d_])[-\u2010-\u2015\u2212](?=[^\W\d_])")
# A phrase may go over the end of a line, not over an empty one.
_LINE_END: Final = re.compile(r"(?<!\n) ?\n ?(?!\n| \n)")
_END: Final = re.compile(r"[.!?]\s|\n\n")


_Signed: TypeAlias = tuple[str, re.Pattern[str]]

_PATTERNS: Final = (
    ("instruction", OTHER_LETTERS),
    ("instruction", PLAIN_LETTERS),
    ("instruction", MARKUP),
    ("credential-path", CREDENTIAL_PATHS),
)


def _by_anchor() -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in RULES:
        for anchor in rule.anchors:
            found.setdefault(anchor, []).append(rule)
    return found


_BY_ANCHOR: Final = _by_anchor()


def phrase_sightings(text: str) -> Iterator[Sighting]:
    """Every phrase that one of the rules describes."""
    lower = _LINE_END.sub(" ", _SPACES.sub(" ", text.replace("’", "'").lower()))
    yield from _instructions(_HYPHENS.sub(" ", lower))
    for sign, pattern in _candidates(lower):
        yield from _matches(sign, pattern, lower)
    for pattern in ENCODED:
        yield from _matches("encoded", pattern, text)


def _candidates(text: str) -> Iterator[_Signed]:
    """The patterns that may find something: for plain text all are tried in one pass, and hardly any does."""
    if not text.isascii():
        # What begins a word, and what is a letter, depends on who is asked.
        return ((sign, pattern) for sign, patterns in _PATTERNS for pattern in patterns)
    together, searched, alone = _plain()
    return itertools.chain((searched[place] for place in together.Match(text) or ()), alone)


@cache
def _plain() -> tuple[Any, list[_Signed], list[_Signed]]:
    """For plain text: all patterns in one automaton, their list, and those that look back and stay alone."""
    # Late: most commands read no texts.
    import re2  # type: ignore[import-untyped]

    patterns = [(sign, pattern) for sign, some in _PATTERNS[1:] for pattern in some]
    searched = [each for each in patterns if "(?<" not in each[1].pattern]
    together = re2.Set.SearchSet()
    for _, pattern in searched:
        together.Add(pattern.pattern)
    together.Compile()
    return together, searched, [each for each in patterns if "(?<" in each[1].pattern]


def _instructions(text: str) -> Iterator[Sighting]:
    for word in _WORD.finditer(text):
        for rule in _BY_ANCHOR.get(word[0], ()):
            if end := _follows(rule, text, word.start()):
                yield Sighting(word.start(), Suspicion("instruction", excerpt(text, word.start(), end)))


def _follows(rule: Rule, text: str, start: int) -> int:
    """Where the phrase that begins here ends, or 0 if it is none."""
    found = rule.begins.match(text, start)
    if not found or not rule.goes_on:
        return found.end() if found else 0
    limit = start + _SENTENCE
    stop = _END.search(text, found.end(), limit)
    sentence_end = stop.start() if stop else limit
    ends = [found.end()]
    for pattern in rule.goes_on:
        more = pattern.search(text, found.end(), sentence_end)
        if not more:
            return 0
        ends.append(more.end())
    return max(ends)


def _matches(sign: str, pattern: re.Pattern[str], text: str) -> Iterator[Sighting]:
    for found in pattern.finditer(text):
        if sign != "encoded" or _is_code(found[0]):
            yield Sighting(found.start(), Suspicion(sign, excerpt(text, found.start(), found.end())))


def _is_code(blob: str) -> bool:
    """Whether a long run is encoded data; a path or a long identifier has few digits or capitals."""
    digits = sum(character.isdigit() for character in blob)
    capitals = sum(character.isupper() for character in blob)
    return digits * 30 > len(blob) and (capitals * 7 > len(blob) or digits * 4 > len(blob))
