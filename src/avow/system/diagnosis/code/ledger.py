"""What was seen while a program was followed: every variable and argument, and what happened without it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from avow.core.configuration.model import Style, ValueType, Where

Ways = tuple[frozenset[str], ...]
"""What would have to be given, by key: all of one of these."""

_MOST_USAGES: Final = 20
_SHORTEST_WORD: Final = 2
_LONGEST_USAGE: Final = 4_000
_SERVING_WORDS: Final = ("stdio", "mcp", "serve", "server", "start", "run", "mcp-server", "start-server")
CERTAIN = 0.9
HANDED = 0.7
LIKELY = 0.6
GUESSED = 0.4


@dataclass(slots=True)
class Seen:
    """One variable or argument: `name` is what a user would write, `fixed` a word that it has to be."""

    key: str
    where: Where
    name: str
    place: str
    style: Style = Style.NAMED
    order: int = 0
    at_start: bool = True
    default: str | None = None
    has_default: bool = False
    description: str = ""
    type: ValueType | None = None
    choices: tuple[str, ...] = ()
    multiple: bool = False
    fixed: str | None = None
    names: list[str] = field(default_factory=list)
    switch: bool = False


@dataclass(slots=True)
class Demand:
    """A place that cannot be passed unless one of `ways` is given.

    `path` holds what would have led around the place.
    """

    ways: Ways
    path: Ways
    place: str
    reason: str
    at_start: bool
    confidence: float


@dataclass(slots=True)
class Ledger:
    """The book that the engine keeps."""

    seen: dict[str, Seen] = field(default_factory=dict)
    demands: list[Demand] = field(default_factory=list)
    tolerated: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    counted: dict[str, Seen] = field(default_factory=dict)
    compared: dict[str, list[str]] = field(default_factory=dict)
    usages: list[str] = field(default_factory=list)
    at_start: bool = True

    def see(self, entry: Seen) -> str:
        """A variable or an argument is read; the first place counts. Returns its key."""
        known = self.seen.get(entry.key)
        if known is None:
            entry.at_start = self.at_start
            self.seen[entry.key] = entry
            return entry.key
        known.at_start = known.at_start or self.at_start
        known.description = known.description or entry.description
        known.type = known.type or entry.type
        known.choices = known.choices or entry.choices
        return entry.key

    def defaulted(self, keys: Iterable[str], default: str | None) -> None:
        """The code has something to go on with when these are missing."""
        for key in keys:
            if entry := self.seen.get(key):
                if not entry.has_default:
                    entry.default = default
                entry.has_default = True

    def name_hint(self, ways: Ways, name: str) -> None:
        """A value is kept under this name, which may say more than what it was read from."""
        if name and len(ways) == 1 and len(ways[0]) == 1:
            entry = self.seen.get(next(iter(ways[0])))
            if entry is not None and entry.style is Style.POSITIONAL and entry.fixed is None:
                entry.names.append(name)

    def demand(self, ways: Ways, path: Ways, place: str, reason: str, confidence: float) -> None:
        """The program ends unless one of these ways is given, or one that leads around the place."""
        if ways and not any(each.ways == ways and each.at_start for each in self.demands):
            path = tuple(way for way in path if way not in ways)
            self.demands.append(Demand(ways, path, place, reason, self.at_start, confidence))

    def tolerate(self, ways: Ways) -> None:
        """Something failed for want of these, and the program went on."""
        self.tolerated.update(key for way in ways for key in way)

    def compare(self, keys: Iterable[str], word: str) -> None:
        """A value is compared with a word."""
        if len(word) < _SHORTEST_WORD or not word[0].isalpha():
            return
        for key in keys:
            words = self.compared.setdefault(key, [])
            if word not in words:
                words.append(word)

    def chosen(self, key: str) -> str | None:
        """The word that a user would give for a key, among those that it is compared with."""
        words = self.compared.get(key, ())
        return next((word for word in _SERVING_WORDS if word in words), None)

    def say(self, text: str) -> None:
        """The program says something; how it is used is worth keeping."""
        if "sage" in text and len(self.usages) < _MOST_USAGES:
            self.usages.append(text[:_LONGEST_USAGE])

    def note(self, text: str) -> None:
        """Say once what was left out."""
        if text not in self.notes:
            self.notes.append(text)
