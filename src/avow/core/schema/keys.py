"""Digests of what a schema says, such that equal digests mean equal judgement.

Readers' keywords, the order of sets and whether a schema is written in place or behind a reference
make no difference. Two schemas that accept the same may still have different digests.
"""

from avow.core.canonical import JsonObject, JsonValue, canonical, digest
from avow.core.schema.document import Document, Place
from avow.core.schema.vocabulary import (
    HOLDS_LIST,
    HOLDS_NAMED,
    HOLDS_SCHEMA,
    JUDGING,
    dialect_of,
    escape,
    knows,
)

_ALTERNATIVES = frozenset({"allOf", "anyOf", "oneOf"})
_SETS = frozenset({"enum", "required", "type"})


class Keys:
    """The digests of one document's places."""

    def __init__(self, document: Document) -> None:
        """Nothing is digested before somebody asks."""
        self._document = document
        self._known: dict[str, str] = {}
        self._open: set[str] = set()
        self._sources: dict[str, tuple[Place, tuple[str, ...]]] = {}

    def of(self, place: Place, depth: int = 0) -> str:
        """The digest of a place."""
        pointer = place.pointer
        if pointer in self._known:
            return self._known[pointer]
        self._document.budget.step(depth)
        if pointer in self._open:
            # A schema inside itself: the same only where the whole document is.
            return digest(["circle", pointer, self._document.text])
        self._open.add(pointer)
        result = self._digest(place, depth)
        self._open.remove(pointer)
        self._known[pointer] = result
        return result

    def condition(self, place: Place, *keywords: str, depth: int = 0) -> str:
        """The digest of some keywords of a place taken together, after the first one's name."""
        members = {keyword: place.schema[keyword] for keyword in keywords if keyword in place.schema}
        parts = digest([self._parts(place, members, depth), *self._dialect(members)])
        return self.note(f"{keywords[0]} {parts}", place, *keywords)

    def note(self, condition: str, place: Place, *keywords: str) -> str:
        """The same condition, from now on known to come from these keywords of a place; none are all."""
        self._sources.setdefault(condition, (place, keywords))
        return condition

    def source(self, condition: str) -> tuple[Place, tuple[str, ...]] | None:
        """Where a condition comes from; None when it was made from nothing that could be looked into."""
        return self._sources.get(condition)

    def _digest(self, place: Place, depth: int) -> str:
        schema, document = place.schema, self._document
        if not isinstance(schema, dict):
            return digest(["value", schema, document.dialect] if document.is_ancient else ["value", schema])
        if document.is_strange(place):
            return digest(["dialect", dialect_of(schema), document.text])
        parts = self._parts(place, {k: v for k, v in schema.items() if k in JUDGING}, depth)
        if not parts:
            return digest(["value", True])
        match parts:
            case {"$ref": target} if len(parts) == 1:
                return str(target)
            case {"allOf": [only]} | {"anyOf": [only]} | {"oneOf": [only]} if len(parts) == 1:
                return str(only)
        return digest([parts, *self._dialect(schema)])

    def _dialect(self, schema: JsonObject) -> list[str]:
        """The dialect, where it makes a difference."""
        document = self._document
        if not document.is_known_dialect:
            return [document.dialect, document.text]
        is_sensitive = (
            document.is_ancient
            or isinstance(schema.get("items"), list)
            or ("$ref" in schema and len(schema) > 1)
            or not all(knows(document.dialect, keyword) for keyword in schema)
        )
        return [document.dialect] if is_sensitive else []

    def _parts(self, place: Place, members: JsonObject, depth: int) -> JsonObject:
        return {keyword: self._part(place, keyword, value, depth) for keyword, value in members.items()}

    def _part(self, place: Place, keyword: str, value: JsonValue, depth: int) -> JsonValue:
        if keyword == "$ref":
            target = self._document.resolve(value)
            return self._document.unresolved(value) if target is None else self.of(target, depth + 1)
        if keyword in ("$dynamicRef", "$recursiveRef"):
            return [value, self._document.text]
        if keyword in HOLDS_NAMED and isinstance(value, dict):
            return {n: self._inner(place, f"/{keyword}/{escape(n)}", v, depth) for n, v in value.items()}
        if keyword in HOLDS_LIST and isinstance(value, list):
            keys = [self._inner(place, f"/{keyword}/{i}", v, depth) for i, v in enumerate(value)]
            return sorted(keys) if keyword in _ALTERNATIVES else keys
        if keyword in HOLDS_SCHEMA:
            return self._inner(place, f"/{keyword}", value, depth)
        if keyword in _SETS and isinstance(value, list):
            return sorted({canonical(item).decode() for item in value})
        return value

    def _inner(self, place: Place, steps: str, value: JsonValue, depth: int) -> str:
        return self.of(place.at(steps, value), depth + 1)
