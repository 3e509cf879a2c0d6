"""Every place at which two schemas are written differently, whatever that means."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.schema.document import Document, Place
from avow.core.schema.steps import inside, target
from avow.core.schema.vocabulary import (
    HOLDS_LIST,
    HOLDS_NAMED,
    HOLDS_SCHEMA,
    escape,
)

_CONDITIONAL: Final = frozenset(
    {
        "contains",
        "contentSchema",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One place that was `added`, `removed` or `changed`, and the keyword that it belongs to."""

    path: str
    keyword: str
    change: str
    before: JsonValue = None
    after: JsonValue = None


def edits(before: JsonValue, after: JsonValue, pointer: str = "", keyword: str = "") -> Iterator[Edit]:
    """The differences in writing, as far inside as the two are built alike.

    Safe to recurse: both documents were walked before, within limits.
    """
    if canonical(before) == canonical(after):
        return
    if not (isinstance(before, dict) and isinstance(after, dict)):
        yield Edit(pointer, keyword, "changed", before, after)
        return
    for word in {**before, **after}:
        path = f"{pointer}/{escape(word)}"
        if word not in after:
            yield Edit(path, word, "removed", before[word])
        elif word not in before:
            yield Edit(path, word, "added", None, after[word])
        else:
            yield from _inside(word, before[word], after[word], path)


def _inside(keyword: str, before: JsonValue, after: JsonValue, path: str) -> Iterator[Edit]:
    if keyword in HOLDS_NAMED and isinstance(before, dict) and isinstance(after, dict):
        yield from _named(keyword, before, after, path)
    elif (
        keyword in HOLDS_LIST
        and isinstance(before, list)
        and isinstance(after, list)
        and len(before) == len(after)
    ):
        for position, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from edits(old, new, f"{path}/{position}", keyword)
    elif keyword in HOLDS_SCHEMA:
        yield from edits(before, after, path, keyword)
    elif canonical(before) != canonical(after):
        yield Edit(path, keyword, "changed", before, after)


def _named(keyword: str, before: JsonObject, after: JsonObject, path: str) -> Iterator[Edit]:
    for name in {**before, **after}:
        inner = f"{path}/{escape(name)}"
        if name not in after:
            yield Edit(inner, keyword, "removed", before[name])
        elif name not in before:
            yield Edit(inner, keyword, "added", None, after[name])
        else:
            yield from edits(before[name], after[name], inner, keyword)


def members(document: Document, *, conditional: bool) -> dict[str, str]:
    """The members that a document declares by name, each with a pointer to one such place.

    With `conditional`, only those declared inside a condition or behind a reference in one, where
    accepting more or less is not judged.
    """
    places = _conditional(document) if conditional else document.places
    found: dict[str, str] = {}
    for place in places:
        inner = place.schema.get("properties") if isinstance(place.schema, dict) else None
        if isinstance(inner, dict):
            found.update({name: f"{place.pointer}/properties/{escape(name)}" for name in inner})
    return found


def _conditional(document: Document) -> Iterator[Place]:
    """Every schema that is part of a condition, each once."""
    waiting = [
        inner for place in document.places for keyword, _, inner in inside(place) if keyword in _CONDITIONAL
    ]
    seen = set()
    while waiting:
        place = waiting.pop()
        if place.pointer not in seen:
            seen.add(place.pointer)
            yield place
            waiting.extend(inner for _, _, inner in inside(place))
            waiting.extend(aim for aim in (target(document, place),) if aim is not None)
