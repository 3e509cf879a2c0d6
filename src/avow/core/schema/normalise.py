"""From a schema, in whatever notation, to the union of branches it stands for.

The branches never accept less than the schema does. Where they might accept more, a condition says so.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.schema.combine import BRANCHES, InexactError, are_disjoint, both, simplified
from avow.core.schema.document import Document, Place
from avow.core.schema.facets import Facets
from avow.core.schema.keys import Keys
from avow.core.schema.mentions import Mentions
from avow.core.schema.shapes import ANYTHING, Arrays, Branch, Node, Numbers, Objects, Shape, Strings, Values
from avow.core.schema.vocabulary import DIALECTS, knows

_PLAIN: Final[dict[str, list[JsonValue]]] = {"null": [None], "boolean": [False, True]}
_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_WHOLE: Final = Numbers(multiples=frozenset({Fraction(1)}))
_NULL: Final = canonical(None)
_DISJOINT_DEPTH: Final = 3
# Where true and false have always been schemas.
_ALWAYS_PLAIN: Final = ("/additionalItems", "/additionalProperties")


def _values(values: Iterable[JsonValue]) -> Values:
    return Values({canonical(value): value for value in values})


EVERYTHING: Final[Shape] = (_values([None, False, True]), Numbers(), Strings(), Arrays(), Objects())


class Reader:
    """Shapes of the places of one document, each made once."""

    def __init__(self, document: Document) -> None:
        """Nothing is read before somebody asks."""
        self.document = document
        self.keys = Keys(document)
        self.mentions = Mentions(document)
        self._shapes: dict[Node, Shape] = {}

    def shape(self, node: Node, depth: int = 0) -> Shape:
        """What all the places of a node accept together."""
        if node not in self._shapes:
            shape = EVERYTHING
            for place in node:
                shape = self._together(shape, self._read(place, (), depth), place, depth)
            self._shapes[node] = shape
        return self._shapes[node]

    def accepts_everything(self, node: Node, depth: int = 0) -> bool:
        """Whether a node is proven to accept every value."""
        return node == ANYTHING or self.shape(node, depth) == EVERYTHING

    def accepts_nothing(self, node: Node, depth: int = 0) -> bool:
        """Whether a node is proven to accept no value."""
        return self.shape(node, depth) == ()

    def key(self, node: Node, depth: int = 0) -> tuple[str, ...]:
        """What two nodes, of whichever document, have in common when they surely accept the same."""
        return tuple(sorted({self.keys.of(place, depth) for place in node}))

    def _read(self, place: Place, trail: tuple[str, ...], depth: int) -> Shape:
        self.document.budget.step(depth + len(trail))
        schema = place.schema
        if schema == {} or (schema is True and not self.document.is_ancient):
            return EVERYTHING
        if schema is False and (not self.document.is_ancient or place.pointer.endswith(_ALWAYS_PLAIN)):
            return ()
        is_readable = self.document.is_known_dialect and not self.document.is_strange(place)
        if not isinstance(schema, dict) or place.pointer in trail or not is_readable:
            # Not a schema, one that refers to itself without an end, or in a language that we do not know.
            return _under(EVERYTHING, f"schema {self.keys.of(place, depth)}")
        trail = (*trail, place.pointer)
        if "$ref" in schema:
            return self._reference(place, trail, depth)
        return self._keywords(place, trail, depth)

    def _reference(self, place: Place, trail: tuple[str, ...], depth: int) -> Shape:
        schema: JsonObject = place.schema
        target = self.document.resolve(schema["$ref"])
        if target is None:
            condition = f"$ref {self.document.unresolved(schema['$ref'])}"
            aim = _under(EVERYTHING, condition)
        else:
            aim = self._read(target, trail, depth)
        own = self._keywords(place, trail, depth)
        if own == EVERYTHING:
            return aim
        if DIALECTS.index(self.document.dialect) < DIALECTS.index("2019-09"):
            # Older dialects ignore what stands beside a reference, and not every validator does.
            return _under(aim, f"$ref {self.keys.of(place, depth)}")
        return self._together(aim, own, place, depth)

    def _keywords(self, place: Place, trail: tuple[str, ...], depth: int) -> Shape:
        schema: JsonObject = place.schema
        shape = self._typed(place, depth)
        shape = self._enumerated(shape, place, depth)
        for keyword, gather in (("allOf", None), ("anyOf", self._any), ("oneOf", self._one)):
            if keyword not in schema:
                continue
            schemas = schema[keyword]
            if not isinstance(schemas, list) or not schemas or not self._knows(keyword):
                shape = _under(shape, self.keys.condition(place, keyword, depth=depth))
                continue
            places = [place.at(f"/{keyword}/{i}", inner) for i, inner in enumerate(schemas)]
            shapes = [self._read(inner, trail, depth + 1) for inner in places]
            for one in shapes if gather is None else [gather(shapes, place, depth)]:
                shape = self._together(shape, one, place, depth)
        return self._conditional(shape, place, trail, depth)

    def _typed(self, place: Place, depth: int) -> Shape:
        facets = Facets(self.document, self.keys, place, depth)
        named = place.schema.get("type", list(_TYPES))
        names = named if isinstance(named, list) else [named]
        condition = ""
        if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
            condition = self.keys.condition(place, "type", depth=depth)
            names = list(_TYPES)
        makers: dict[str, Callable[[], Branch | None]] = {
            "integer": lambda: both(facets.numbers(), _WHOLE),
            "number": facets.numbers,
            "string": facets.strings,
            "array": facets.arrays,
            "object": facets.objects,
        }
        found = [
            _values(_PLAIN[name]) if name in _PLAIN else makers[name]()
            for name in _TYPES
            if name in names and not (name == "integer" and "number" in names)
        ]
        shape = simplified(branch for branch in found if branch is not None)
        return _under(shape, condition) if condition else shape

    def _enumerated(self, shape: Shape, place: Place, depth: int) -> Shape:
        schema: JsonObject = place.schema
        for keyword in ("enum", "const"):
            if keyword not in schema:
                continue
            values = schema[keyword] if keyword == "enum" else [schema[keyword]]
            if not isinstance(values, list) or not self._knows(keyword):
                shape = _under(shape, self.keys.condition(place, keyword, depth=depth))
            else:
                shape = self._together((_values(values),), shape, place, depth)
        return shape

    def _conditional(self, shape: Shape, place: Place, trail: tuple[str, ...], depth: int) -> Shape:
        schema: JsonObject = place.schema
        if "not" in schema:
            denied = (
                self._read(place.at("/not", schema["not"]), trail, depth + 1) if self._knows("not") else None
            )
            if denied == EVERYTHING:
                return ()
            if denied != ():
                shape = _under(shape, self.keys.condition(place, "not", depth=depth))
        if "if" in schema and ("then" in schema or "else" in schema):
            shape = _under(shape, self.keys.condition(place, "if", "then", "else", depth=depth))
        for keyword in ("$dynamicRef", "$recursiveRef", "disallow", "extends"):
            if keyword in schema:
                shape = _under(shape, self.keys.condition(place, keyword, depth=depth))
        if schema.get("nullable", False) is not False:
            # Not JSON Schema, but readers of OpenAPI take it for "or null".
            shape = simplified((*shape, Values({_NULL: None}, frozenset({"nullable"}))))
        return shape

    def _any(self, shapes: list[Shape], place: Place, depth: int) -> Shape:
        self.document.budget.step(count=sum(map(len, shapes)))
        union = simplified(branch for shape in shapes for branch in shape)
        if len(union) > BRANCHES:
            return _under(EVERYTHING, self.keys.condition(place, "anyOf", "oneOf", depth=depth))
        return union

    def _one(self, shapes: list[Shape], place: Place, depth: int) -> Shape:
        union = self._any(shapes, place, depth)
        pairs = ((one, other) for i, one in enumerate(shapes) for other in shapes[:i])
        if all(self._are_apart(one, other, depth, _DISJOINT_DEPTH) for one, other in pairs):
            return union
        return _under(union, self.keys.condition(place, "oneOf", depth=depth))

    def _are_apart(self, one: Shape, other: Shape, depth: int, deeper: int) -> bool:
        def apart(left: Node, right: Node) -> bool:
            shapes = (self.shape(left, depth + 1), self.shape(right, depth + 1)) if deeper else ((), ())
            return deeper > 0 and self._are_apart(*shapes, depth + 1, deeper - 1)

        self.document.budget.step(depth, count=len(one) * len(other))
        return all(are_disjoint(left, right, apart) for left in one for right in other)

    def _together(self, one: Shape, other: Shape, place: Place, depth: int) -> Shape:
        if one == EVERYTHING:
            return other
        if other == EVERYTHING:
            return one
        self.document.budget.step(depth, count=len(one) * len(other))
        try:
            found = [both(left, right) for left in one for right in other]
        except InexactError:
            return _under(one, f"schema {self.keys.of(place, depth)}")
        shape = simplified(branch for branch in found if branch is not None)
        return shape if len(shape) <= BRANCHES else _under(one, f"schema {self.keys.of(place, depth)}")

    def _knows(self, keyword: str) -> bool:
        return knows(self.document.dialect, keyword)


def _under(shape: Shape, condition: str) -> Shape:
    """The same shape, where something more is asked that we do not reason about."""
    return simplified(replace(branch, conditions=branch.conditions | {condition}) for branch in shape)
