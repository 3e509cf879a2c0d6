"""Which parts of a schema speak about which part of the arguments: the names declared there, the patterns.

A part counts wherever it may apply, under a negation or in one branch of many too: what is found here
decides what a validator may be asked at all, so that too much is safe and too little is not.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.schema.vocabulary import subschemas
from avow.errors import DeclarationError

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

_SAME_VALUE: Final = (
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "not",
    "dependentSchemas",
    "dependencies",
)
_ITEMS: Final = ("prefixItems", "items", "additionalItems", "unevaluatedItems", "contains")
_EFFORT: Final = 50_000


class Place:
    """What may be said about one value: `names` of its members, and how many patterns it or a name meets."""

    __slots__ = ("_items", "_known", "_places", "_schemas", "folded", "key_patterns", "names", "patterns")

    def __init__(self, schemas: tuple[JsonObject, ...], places: "Places") -> None:
        """Gather what these schemas, which may all apply, say."""
        self._schemas = schemas
        self._places = places
        self._known: dict[str | None, Place] = {}
        self._items: Place | None = None
        self.names = frozenset(name for schema in schemas for name in _named(schema, "properties"))
        self.folded = frozenset(name.casefold() for name in self.names)
        self.patterns = _patterns(schemas)
        self.key_patterns = sum(len(_named(schema, "patternProperties")) for schema in schemas)
        about_names = [schema["propertyNames"] for schema in schemas if "propertyNames" in schema]
        self.key_patterns += _patterns(places.reach(about_names).values())

    @property
    def is_silent(self) -> bool:
        """Whether nothing is said about this value."""
        return not self._schemas

    def member(self, name: str) -> "Place":
        """What may be said about a member."""
        key = name if name in self.names else None
        if key not in self._known:
            self._known[key] = self._places.of(self._about(name))
        return self._known[key]

    def items(self) -> "Place":
        """What may be said about the items of a list."""
        if self._items is None:
            held = (inner for schema in self._schemas for inner in _held(schema, _ITEMS))
            self._items = self._places.of(held)
        return self._items

    def _about(self, name: str) -> Iterator[JsonValue]:
        for schema in self._schemas:
            properties = _named(schema, "properties")
            yield properties[name] if name in properties else schema.get("additionalProperties")
            yield from _named(schema, "patternProperties").values()
            yield schema.get("unevaluatedProperties")


class Places:
    """The places of one schema, found as arguments lead to them."""

    def __init__(self, root: JsonValue) -> None:
        """Nothing found yet."""
        self._root = root
        self._all = tuple(_everything(root))
        self._found: dict[frozenset[int], Place] = {}
        self._effort = _EFFORT

    @property
    def is_flat(self) -> bool:
        """Whether only the outermost members have declared names, and no pattern is anywhere."""
        return not any(
            not schema.keys().isdisjoint(("pattern", "patternProperties", *REFERENCES))
            or (schema is not self._root and "properties" in schema)
            for schema in self._all
        )

    def of(self, schemas: Iterable[JsonValue]) -> Place:
        """The place that these schemas speak about. Raises as `reach` does."""
        reached = self.reach(schemas)
        key = frozenset(reached)
        if key not in self._found:
            self._found[key] = Place(tuple(reached.values()), self)
        return self._found[key]

    def reach(self, schemas: Iterable[JsonValue]) -> dict[int, JsonObject]:
        """These schemas and all that they lead to at the same value.

        Raises:
            DeclarationError: the schema leads to more places than any that is meant well.
        """
        reached: dict[int, JsonObject] = {}
        waiting = list(schemas)
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, dict) or id(schema) in reached:
                continue
            self._effort -= 1
            if self._effort < 0:
                raise DeclarationError("the input schema leads to more places than can be looked at")
            reached[id(schema)] = schema
            waiting.extend(_held(schema, _SAME_VALUE))
            for word in REFERENCES:
                if word in schema:
                    waiting.extend(self._referred(word, schema[word]))
        return reached

    def _referred(self, word: str, reference: JsonValue) -> Iterable[JsonValue]:
        """What a reference leads to: exactly, or anything at all where only a validator could tell."""
        target = find_target(self._root, reference) if isinstance(reference, str) else None
        return self._all if target is None or word == "$dynamicRef" else (target,)


def find_target(root: JsonValue, reference: str) -> JsonValue:
    """What a JSON pointer refers to; `None` for any other kind of reference."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return None
    found = root
    for step in reference[2:].split("/"):
        key = step.replace("%25", "%").replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found


def _everything(root: JsonValue) -> Iterator[JsonObject]:
    """Every schema in a schema, those that only a reference makes one included."""
    waiting = [root]
    seen = set()
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema
        waiting.extend(inner for _, inner in subschemas(schema))
        waiting.extend(
            find_target(root, word) for word in map(schema.get, REFERENCES) if isinstance(word, str)
        )


def _patterns(schemas: Iterable[JsonObject]) -> int:
    return sum(isinstance(schema.get("pattern"), str) for schema in schemas)


def _named(schema: JsonObject, keyword: str) -> JsonObject:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def _held(schema: JsonObject, keywords: tuple[str, ...]) -> Iterator[JsonValue]:
    """The schemas that these keywords hold: one, a list of them, or by name."""
    for keyword in keywords:
        value = schema.get(keyword)
        if isinstance(value, list):
            yield from value
        elif keyword.startswith("dependen"):
            yield from _named(schema, keyword).values()
        else:
            yield value
