"""What the keywords of one schema ask of numbers, strings, arrays and objects, each kind by itself."""

from fractions import Fraction
from typing import Final, TypeGuard

from avow.core.canonical import JsonObject, JsonValue, digest
from avow.core.schema.document import Document, Place
from avow.core.schema.keys import Keys
from avow.core.schema.shapes import ANYTHING, Arrays, Node, Numbers, Objects, Strings, exact
from avow.core.schema.vocabulary import escape, knows

# A format is a condition: many validators hold to it, so that adding one narrows and removing one widens.
# These only say how a value is stored or shown; none of them can reject what JSON carries.
_FREE_FORMATS: Final = frozenset(
    {"double", "float", "password", "path"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in ("", 8, 16, 32, 64, 128)}
)
_APPLICATORS: Final = frozenset(
    {
        "$dynamicRef",
        "$recursiveRef",
        "$ref",
        "allOf",
        "anyOf",
        "contains",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "then",
    }
)


class Facets:
    """Reads the keywords of one place; what it cannot read becomes a condition."""

    def __init__(self, document: Document, keys: Keys, place: Place, depth: int) -> None:
        """Look at one place, which holds an object."""
        self._document = document
        self._keys = keys
        self._place = place
        self._schema: JsonObject = place.schema
        self._depth = depth

    def numbers(self) -> Numbers:
        """What is asked of numbers."""
        conditions = self._conditions("format")
        low, is_low_open = self._limit("minimum", "exclusiveMinimum", conditions, is_low=True)
        high, is_high_open = self._limit("maximum", "exclusiveMaximum", conditions, is_low=False)
        multiples = set()
        for keyword in ("multipleOf", "divisibleBy"):
            multiple = self._schema.get(keyword)
            if _is_number(multiple) and multiple > 0 and self._knows(keyword):
                multiples.add(exact(multiple))
            elif keyword in self._schema:
                conditions.add(self._condition(keyword))
        return Numbers(low, high, is_low_open, is_high_open, frozenset(multiples), frozenset(conditions))

    def strings(self) -> Strings:
        """What is asked of strings."""
        conditions = self._conditions(
            "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema"
        )
        low = self._count("minLength", conditions) or 0
        return Strings(low, self._count("maxLength", conditions), frozenset(conditions))

    def arrays(self) -> Arrays:
        """What is asked of arrays."""
        conditions: set[str] = set()
        first, rest = self._items(conditions)
        if "contains" in self._schema:
            conditions.add(self._condition("contains", "minContains", "maxContains"))
        is_unique = self._schema.get("uniqueItems", False)
        if not isinstance(is_unique, bool):
            conditions.add(self._condition("uniqueItems"))
        if self._says("unevaluatedItems"):
            if (
                "items" in self._schema
                or _APPLICATORS & self._schema.keys()
                or not self._knows("unevaluatedItems")
            ):
                conditions.add(self._whole("unevaluatedItems"))
            else:
                rest = self._child("unevaluatedItems")
        low = self._count("minItems", conditions) or 0
        high = self._count("maxItems", conditions)
        return Arrays(first, rest, low, high, is_unique is True, frozenset(conditions))

    def objects(self) -> Objects:
        """What is asked of objects."""
        conditions: set[str] = set()
        properties = self._named("properties", conditions)
        patterns = self._named("patternProperties", conditions)
        required = self._schema.get("required", [])
        is_list = isinstance(required, list) and all(isinstance(name, str) for name in required)
        if required != [] and not (is_list and self._knows("required")):
            conditions.add(self._condition("required"))
            required = []
        additional = (
            self._child("additionalProperties") if "additionalProperties" in self._schema else ANYTHING
        )
        if self._says("unevaluatedProperties"):
            if (
                "additionalProperties" in self._schema
                or _APPLICATORS & self._schema.keys()
                or not self._knows("unevaluatedProperties")
            ):
                conditions.add(self._whole("unevaluatedProperties"))
            else:
                additional = self._child("unevaluatedProperties")
        names = ANYTHING
        if "propertyNames" in self._schema:
            if self._knows("propertyNames"):
                names = self._child("propertyNames")
            else:
                conditions.add(self._condition("propertyNames"))
        conditions |= self._dependencies()
        low = self._count("minProperties", conditions) or 0
        high = self._count("maxProperties", conditions)
        return Objects(
            properties, frozenset(required), patterns, additional, names, low, high, frozenset(conditions)
        )

    def _limit(
        self, inclusive: str, exclusive: str, conditions: set[str], *, is_low: bool
    ) -> tuple[Fraction | None, bool]:
        closed, opened = self._schema.get(inclusive), self._schema.get(exclusive)
        if inclusive in self._schema and not _is_number(closed):
            conditions.add(self._condition(inclusive))
            closed = None
        if isinstance(opened, bool) and self._document.is_ancient:
            return (None, False) if closed is None else (exact(closed), opened)
        if exclusive in self._schema and (not _is_number(opened) or self._document.is_ancient):
            # True is no bound since draft-06: some validators refuse it and others take it for 1.
            conditions.add(self._condition(exclusive))
            opened = None
        if opened is None:
            return (None if closed is None else exact(closed)), False
        if closed is None or (closed <= opened if is_low else closed >= opened):
            return exact(opened), True
        return exact(closed), False

    def _items(self, conditions: set[str]) -> tuple[tuple[Node, ...], Node]:
        items = self._schema.get("items", True)
        prefix = self._schema.get("prefixItems")
        if isinstance(items, list) or (prefix is not None and not isinstance(prefix, list)):
            if self._knows("additionalItems") and isinstance(items, list):
                rest = self._child("additionalItems") if "additionalItems" in self._schema else ANYTHING
                if prefix is not None:
                    conditions.add(self._condition("prefixItems"))
                return self._list("items", items), rest
            conditions.add(self._condition("items", "additionalItems", "prefixItems"))
            return (), ANYTHING
        rest = self._child("items") if "items" in self._schema else ANYTHING
        if prefix is not None and not self._knows("prefixItems"):
            conditions.add(self._condition("prefixItems", "items"))
            return (), ANYTHING
        return self._list("prefixItems", prefix or []), rest

    def _dependencies(self) -> set[str]:
        found = set()
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            value = self._schema.get(keyword, {})
            if not isinstance(value, dict) or (value and not self._knows(keyword)):
                found.add(self._condition(keyword))
                continue
            for name, wanted in value.items():
                if isinstance(wanted, list):
                    self._document.budget.step(self._depth, count=len(wanted))
                    found.update(self._dependent(keyword, name, [other]) for other in wanted)
                else:
                    found.add(self._dependent(keyword, name, wanted))
        return found

    def _dependent(self, keyword: str, name: str, wanted: JsonValue) -> str:
        """What one member asks for: another member, or a schema."""
        steps = f"/{keyword}/{escape(name)}"
        if isinstance(wanted, list):
            condition = f"dependentRequired {digest([name, *wanted])}"
        else:
            inner = self._keys.of(self._place.at(steps, wanted), self._depth)
            condition = f"dependentSchemas {digest([name, inner])}"
        # A schema of its own, so that what it speaks of is found like all the rest.
        return self._keys.note(condition, Place(self._place.pointer, {keyword: {name: wanted}}))

    def _conditions(self, *keywords: str) -> set[str]:
        found = {self._condition(keyword) for keyword in keywords if keyword in self._schema}
        wanted = self._schema.get("format")
        if isinstance(wanted, str) and wanted in _FREE_FORMATS:
            found.discard(self._condition("format"))
        return found

    def _count(self, keyword: str, conditions: set[str]) -> int | None:
        value = self._schema.get(keyword)
        if _is_number(value) and value == int(value) and self._knows(keyword):
            return max(int(value), 0)
        if keyword in self._schema:
            conditions.add(self._condition(keyword))
        return None

    def _named(self, keyword: str, conditions: set[str]) -> dict[str, Node]:
        value = self._schema.get(keyword, {})
        if not isinstance(value, dict):
            conditions.add(self._condition(keyword))
            return {}
        return {n: (self._place.at(f"/{keyword}/{escape(n)}", schema),) for n, schema in value.items()}

    def _list(self, keyword: str, schemas: list[JsonValue]) -> tuple[Node, ...]:
        return tuple((self._place.at(f"/{keyword}/{i}", schema),) for i, schema in enumerate(schemas))

    def _child(self, keyword: str) -> Node:
        schema = self._schema[keyword]
        return ANYTHING if schema is True else (self._place.at(f"/{keyword}", schema),)

    def _says(self, keyword: str) -> bool:
        """Whether a keyword is there and not in the form that accepts everything."""
        value = self._schema.get(keyword, True)
        return value is not True and value != {}

    def _knows(self, keyword: str) -> bool:
        return knows(self._document.dialect, keyword)

    def _condition(self, *keywords: str) -> str:
        return self._keys.condition(self._place, *keywords, depth=self._depth)

    def _whole(self, keyword: str) -> str:
        condition = f"{keyword} {self._keys.of(self._place, self._depth)}"
        return self._keys.note(condition, self._place, keyword)


def _is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
