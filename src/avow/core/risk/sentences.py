"""Finds the verb of a name or a sentence, and what it is done to."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, TypeAlias

from avow.core.risk import words

NAME_LIMIT: Final = 200

Clause: TypeAlias = list[str]

_TOKEN: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD: Final = re.compile(r"[^\W\d_][\w']*")
_CLAUSE: Final = re.compile(r"[.!?]\s|\n|:\s|[;•→]|\s[-–—]\s|\d\.\s")
# Where a description stops saying what the tool does and starts to document its arguments.
_DETAILS: Final = re.compile(
    r"\n[ \t]*(?:args|arguments|parameters|params|returns?|examples?|raises)\b", re.IGNORECASE
)
# How far into a description the verb is looked for: some begin with a warning or the name of the service.
_CLAUSES_READ: Final = 10
_WORDS_READ: Final = 9
_PLAINLY_DONE: Final = words.EXECUTE | words.PUBLISH
_PLAIN_OBJECTS: Final = words.CODE | words.PUBLIC_WRITING


@dataclass(frozen=True, slots=True)
class Statement:
    """A phrase that says what a tool does.

    Where it stands, its verb as looked up and as found, what the verb is done to (up to the first
    preposition: "a comment" in "add a comment to an issue"), and all other words.
    """

    source: str
    verb: str
    wording: str
    objects: tuple[str, ...]
    rest: frozenset[str]

    @property
    def object_words(self) -> frozenset[str]:
        """The objects, for asking whether a word is among them."""
        return frozenset(self.objects)

    @property
    def everything(self) -> frozenset[str]:
        """All words but the verb."""
        return self.rest | self.object_words

    @property
    def head(self) -> str:
        """The noun that the objects end with: the cell in "update a notebook cell"."""
        return self.objects[-1] if self.objects else ""


def tokens(name: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case: `getFile`, `get_file` and `get-file` say the same."""
    return tuple(token.lower() for token in _TOKEN.findall(name[:NAME_LIMIT]))


def base_form(word: str, vocabulary: frozenset[str]) -> str | None:
    """The word of the vocabulary that this is a form of: "deletes" and "deleting" for "delete"."""
    if word in vocabulary:
        return word
    # Every other form ends in one of these, and most words do in neither.
    if not word.endswith(("s", "ing")):
        return None
    return next((form for form in _forms(word) if form in vocabulary), None)


def split_clauses(text: str) -> list[Clause]:
    """The clauses that say what a tool does, as words in lower case."""
    details = _DETAILS.search(text)
    head = text[: details.start()] if details else text
    clauses = ([word.lower() for word in _WORD.findall(clause)] for clause in _CLAUSE.split(head))
    return [clause for clause in clauses if clause]


def main_clause(clauses: list[Clause]) -> Clause:
    """The first clause that begins with a verb."""
    return next((clause for clause in clauses[:_CLAUSES_READ] if _spoken(clause)), [])


def find_statements(
    name: tuple[str, ...], title: tuple[str, ...], clauses: list[Clause]
) -> Iterator[Statement]:
    """What the name says, what the description says, and the title where both are silent."""
    told = _spoken(main_clause(clauses))
    named = _named(name, "name")
    if named and not (told and _is_overruled(named, told)):
        yield named
    yield from _joined(name)
    if told:
        yield told
    titled = _named(title, "title")
    if titled and not named and not told:
        yield titled


def _forms(word: str) -> Iterator[str]:
    """What a word that ends in -s or -ing may be a form of."""
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s"):
        yield word[:-1]
    if word.endswith("ing") and len(word) > 5:
        stem = word[:-3]
        yield stem
        yield stem + "e"
        if stem[-1] == stem[-2]:
            yield stem[:-1]


def _named(name: tuple[str, ...], source: str) -> Statement | None:
    """The verb of a name: the first that is surely one, or else the first that may be one."""
    found = [(place, verb) for place, word in enumerate(name) if (verb := base_form(word, words.VERBS))]
    if not found:
        return None
    place, verb = next((item for item in found if item[1] not in words.WEAK_VERBS), found[0])
    objects = _objects(name[place + 1 :]) or name[:place]
    return Statement(source, verb, name[place], objects, frozenset(name[:place] + name[place + 1 :]))


def _joined(name: tuple[str, ...]) -> Iterator[Statement]:
    """The second verb of a name that has two: the replacing in "find_and_replace"."""
    for place, word in enumerate(name):
        if word in {"and", "or"} and (second := _named(name[place + 1 :], "name")):
            yield second


def _is_overruled(named: Statement, told: Statement) -> bool:
    """Whether the description knows better.

    A weak verb ("order_status") is a noun when the description begins with another verb, unless it is
    plain what is run or posted; and "get" is only the way to the result when something is computed.
    """
    if named.verb == told.verb:
        return False
    if named.verb in _PLAINLY_DONE and named.object_words & _PLAIN_OBJECTS:
        return False
    return named.verb in words.WEAK_VERBS or (named.verb == "get" and told.verb in words.COMPUTE)


def _objects(following: Sequence[str]) -> tuple[str, ...]:
    """What the verb is done to: the words up to a preposition."""
    direct = takewhile(lambda word: word not in words.PREPOSITIONS, following)
    return tuple(word for word in direct if word not in words.ARTICLES)


def _spoken(clause: Clause) -> Statement | None:
    """The verb that a clause begins with, fillers aside; after a light verb, up to three adjectives aside."""
    adjectives = 0
    for place, word in enumerate(clause[:_WORDS_READ]):
        verb = base_form(word, words.VERBS)
        filler = word in words.FILLERS
        if base_form(word, words.LIGHT_VERBS):
            adjectives = 3
        elif verb and not filler:
            following = clause[place + 1 :]
            return Statement("description", verb, word, _objects(following), frozenset(following))
        elif word == "sure" or (not filler and not adjectives):
            return None
        else:
            adjectives = max(adjectives - 1, 0)
    return None
