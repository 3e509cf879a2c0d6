"""The members that schemas speak of by name, wherever they do so.

A condition may forbid, demand or describe a member without declaring it for good. What accepts more or
less is not judged inside a condition, so a name that comes up there first counts as a new member.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.schema.document import Document, Place
from avow.core.schema.shapes import Node
from avow.core.schema.steps import Path, inside, member, target
from avow.core.schema.vocabulary import escape

# What a reference that leads nowhere speaks of: it might be anything.
ANY_NAME: Final = "?"
_NAMES: Final = ("name",)
_ENDLESS: Final = ("$dynamicRef", "$recursiveRef", "extends")
_DEPENDENT: Final = ("dependencies", "dependentRequired", "dependentSchemas")


class Mentions:
    """Who speaks of which members in one document."""

    def __init__(self, document: Document) -> None:
        """Nothing is looked for before somebody asks."""
        self._document = document
        self._known: dict[tuple[Node, Path], set[str]] = {}

    def of(self, place: Place, keywords: Sequence[str] = (), *, are_names: bool = False) -> dict[Path, str]:
        """All members that a schema speaks of, each by the way to it, with a pointer to one such place.

        With `keywords`, only what stands under these; with `are_names`, the schema judges names of members.
        """
        schema = place.schema
        if keywords and isinstance(schema, dict):
            schema = {word: value for word, value in schema.items() if word in keywords}
        return dict(self._walk(Place(place.pointer, schema), (), (), are_names=are_names))

    def include(self, node: Node, path: Path) -> bool:
        """Whether a node speaks of the member that a path leads to."""
        key = (node, path[:-1])
        if key not in self._known:
            here = self._together((place, False) for place in node)
            for step in path[:-1]:
                here = self._together(
                    (inner, False) for place, _ in here for _, way, inner in inside(place) if way == (step,)
                )
            self._known[key] = {name for place, are in here for name, _ in _spoken(place, are)}
        return path[-1] in self._known[key]

    def _walk(
        self, place: Place, path: Path, trail: tuple[str, ...], *, are_names: bool
    ) -> Iterator[tuple[Path, str]]:
        self._document.budget.step(len(path) + len(trail))
        for name, pointer in _spoken(place, are_names):
            yield (*path, name), pointer
        if isinstance(place.schema, dict) and "$ref" in place.schema:
            aim = target(self._document, place)
            if aim is None:
                yield (*path, ANY_NAME), f"{place.pointer}/$ref"
            elif aim.pointer not in trail:
                yield from self._walk(aim, path, (*trail, aim.pointer), are_names=are_names)
        for keyword, way, inner in inside(place):
            if keyword == "propertyNames":
                yield from self._walk(inner, path, trail, are_names=True)
            else:
                yield from self._walk(inner, (*path, *way), trail, are_names=are_names and not way)

    def _together(self, start: Iterator[tuple[Place, bool]]) -> list[tuple[Place, bool]]:
        """These schemas and all that judge the same value or the names of its members."""
        found: dict[tuple[str, bool], tuple[Place, bool]] = {}
        waiting = list(start)
        while waiting:
            place, are_names = waiting.pop()
            if (place.pointer, are_names) in found:
                continue
            self._document.budget.step()
            found[place.pointer, are_names] = (place, are_names)
            waiting.extend((inner, are_names) for _, way, inner in inside(place) if not way)
            waiting.extend((inner, True) for _, way, inner in inside(place) if way == _NAMES)
            if (aim := target(self._document, place)) is not None:
                waiting.append((aim, are_names))
        return list(found.values())


def _spoken(place: Place, are_names: bool) -> Iterator[tuple[str, str]]:
    """The names that stand in one schema itself, each with a pointer."""
    schema = place.schema
    if not isinstance(schema, dict):
        return
    for keyword, way, inner in inside(place):
        if keyword in ("patternProperties", "properties"):
            yield way[0], inner.pointer
    for name, steps in (*_demanded(schema), *_listed(schema, are_names)):
        yield member(name), place.pointer + steps
    for word in _ENDLESS:
        if word in schema:
            yield ANY_NAME, f"{place.pointer}/{word}"


def _demanded(schema: JsonObject) -> Iterator[tuple[str, str]]:
    yield from ((name, "/required") for name in _texts(schema.get("required")))
    for keyword in _DEPENDENT:
        value = schema.get(keyword)
        for name, wanted in value.items() if isinstance(value, dict) else ():
            steps = f"/{keyword}/{escape(name)}"
            yield from ((inner, steps) for inner in (name, *_texts(wanted)))


def _listed(schema: JsonObject, are_names: bool) -> Iterator[tuple[str, str]]:
    """Members of the objects that are listed as values; where names are judged, the values themselves."""
    values = schema.get("enum")
    listed = [(value, "/enum") for value in values] if isinstance(values, list) else []
    if "const" in schema:
        listed.append((schema["const"], "/const"))
    for value, steps in listed:
        if isinstance(value, dict):
            yield from ((name, steps) for name in value)
        elif are_names and isinstance(value, str):
            yield value, steps


def _texts(value: JsonValue) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
