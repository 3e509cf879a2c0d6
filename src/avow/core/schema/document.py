"""One schema document: places in it, references between them, and a budget for looking at them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin

from avow.core.canonical import JsonValue, digest
from avow.core.schema.vocabulary import (
    DIALECTS,
    HOLDS_LIST,
    HOLDS_NAMED,
    HOLDS_SCHEMA,
    dialect_of,
    is_telling,
    subschemas,
)

STEPS: Final = 20_000
DEPTH: Final = 40
_REFERRING: Final = ("$dynamicRef", "$recursiveRef", "$ref")


class TooLargeError(Exception):
    """A comparison would take more steps or go deeper than anything that is meant well."""


@dataclass(slots=True)
class Budget:
    """How many steps a comparison may still take."""

    left: int = STEPS

    def step(self, depth: int = 0, count: int = 1) -> None:
        """Take `count` steps.

        Raises:
            TooLargeError: there are none left, or `depth` is too deep.
        """
        self.left -= count
        if self.left < 0 or depth > DEPTH:
            raise TooLargeError


@dataclass(frozen=True, slots=True)
class Place:
    """A schema at its place in the document; the pointer alone tells two places apart."""

    pointer: str
    schema: JsonValue = field(compare=False)

    def at(self, steps: str, schema: JsonValue) -> "Place":
        """A schema further inside."""
        return Place(self.pointer + steps, schema)


class Document:
    """A root schema with everything that its references can reach."""

    def __init__(self, root: JsonValue, budget: Budget) -> None:
        """Read the dialect and find everything that has a name of its own.

        Raises:
            TooLargeError: there are too many schemas inside, or they lie too deep.
        """
        self.root = Place("", root)
        self.budget = budget
        self.dialect = dialect_of(root)
        self.is_known_dialect = self.dialect in DIALECTS
        # Up to draft-04, exclusive bounds were true or false and schemas were not.
        self.is_ancient = self.dialect in ("draft-03", "draft-04")
        self._address = root.get("$id", root.get("id")) if isinstance(root, dict) else None
        self._anchors: dict[str, Place] = {}
        self._places: dict[str, Place] = {}
        self._references: list[JsonValue] = []
        self._strange: set[str] = set()
        self._is_ambiguous = False
        for place in self._walk():
            self._note(place)
        self._text = ""

    @property
    def places(self) -> Collection[Place]:
        """Every schema in the document, the root first."""
        return self._places.values()

    def is_strange(self, place: Place) -> bool:
        """Whether a schema inside names another dialect than the document: validators then change theirs."""
        return place.pointer in self._strange

    @property
    def text(self) -> str:
        """A digest of all that can judge in the whole document, references as they are written."""
        if not self._text:
            # A reference may lead into an example: then that example judges too.
            is_plain = not self._is_ambiguous and all(
                self.resolve(reference) is not None or self._is_remote(reference)
                for reference in self._references
            )
            self._text = digest(_judging(self.root.schema) if is_plain else self.root.schema)
        return self._text

    def resolve(self, reference: JsonValue) -> Place | None:
        """The place a reference leads to; None when it leads out of the document or nowhere.

        What is no place for a schema, an example say, is nowhere: who reads it how is anyone's guess.
        """
        fragment = self._fragment(reference)
        if fragment is None or self._is_ambiguous:
            return None
        if not fragment or fragment.startswith("/"):
            return self._places.get(fragment)
        return self._anchors.get(fragment)

    def unresolved(self, reference: JsonValue) -> str:
        """What an unresolvable reference is compared by: its text and, where more could matter, all of it."""
        return digest([reference, self._address, "" if self._is_remote(reference) else self.text])

    def _fragment(self, reference: JsonValue) -> str | None:
        """Where in this document a reference leads; None when it may lead elsewhere."""
        if not isinstance(reference, str):
            return None
        if reference.startswith("#"):
            return unquote(reference[1:])
        if not isinstance(self._address, str):
            return None
        try:
            base, aim = urldefrag(self._address)[0], urljoin(self._address, reference)
            address, fragment = urldefrag(aim)
        except ValueError:
            return None
        return unquote(fragment) if address == base else None

    def _is_remote(self, reference: JsonValue) -> bool:
        """Whether a reference surely leads to another document: this one has no address at all."""
        is_web = isinstance(reference, str) and reference.startswith(("http://", "https://"))
        return is_web and self._address is None and not self._is_ambiguous

    def _walk(self) -> Iterator[Place]:
        waiting = [(self.root, 0)]
        while waiting:
            place, depth = waiting.pop()
            self.budget.step(depth)
            yield place
            if isinstance(place.schema, dict):
                waiting.extend(
                    (place.at(steps, inner), depth + 1) for steps, inner in subschemas(place.schema)
                )

    def _note(self, place: Place) -> None:
        self._places[place.pointer] = place
        if not isinstance(place.schema, dict):
            return
        self._references.extend(place.schema[word] for word in _REFERRING if word in place.schema)
        if place.pointer and "$schema" in place.schema and dialect_of(place.schema) != self.dialect:
            # Some validators read on in the other dialect, and not all of them behind a reference.
            self._strange.add(place.pointer)
            self._is_ambiguous = True
        anchor = place.schema.get("$anchor")
        address = place.schema.get("$id", place.schema.get("id"))
        if isinstance(address, str) and address.startswith("#"):
            anchor = address[1:]
        elif place.pointer and isinstance(address, str):
            # References inside are relative to that address; who reads them how is anyone's guess.
            self._is_ambiguous = True
        if isinstance(anchor, str):
            self._is_ambiguous |= anchor in self._anchors
            self._anchors[anchor] = place


def _judging(schema: JsonValue) -> JsonValue:
    """The schema without what is there for readers only; as deep as the document, which was walked before."""
    if not isinstance(schema, dict):
        return schema
    result = {keyword: value for keyword, value in schema.items() if not is_telling(keyword)}
    for keyword, value in result.items():
        if keyword in HOLDS_NAMED and isinstance(value, dict):
            result[keyword] = {name: _judging(inner) for name, inner in value.items()}
        elif keyword in HOLDS_LIST and isinstance(value, list):
            result[keyword] = [_judging(inner) for inner in value]
        elif keyword in HOLDS_SCHEMA:
            result[keyword] = _judging(value)
    return result
