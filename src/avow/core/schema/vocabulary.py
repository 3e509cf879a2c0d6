"""What the keywords of JSON Schema are for: some judge, some only tell, some hold other schemas."""

from collections.abc import Iterator
from typing import Final

from avow.core.canonical import JsonObject, JsonValue

# Keywords that hold one schema, a list of schemas, or schemas by name.
HOLDS_SCHEMA: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
HOLDS_LIST: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
HOLDS_NAMED: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

# Keywords that tell a reader something and reject nothing.
TELLING: Final = frozenset(
    {
        "$comment",
        "$id",
        "default",
        "deprecated",
        "description",
        "example",
        "examples",
        "id",
        "readOnly",
        "title",
        "writeOnly",
    }
)
# Keywords that only name or hold what others refer to.
SILENT: Final = frozenset({"$anchor", "$defs", "$schema", "$vocabulary", "definitions"})

# The dialect that first knew a keyword, and the first that no longer did, as positions in DIALECTS.
DIALECTS: Final = ("draft-03", "draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
_NEWEST: Final = "https://json-schema.org/draft/2020-12/schema"
_ADDRESSES: Final = {
    **{f"http://json-schema.org/{dialect}/schema": dialect for dialect in DIALECTS[:4]},
    **{f"https://json-schema.org/draft/{dialect}/schema": dialect for dialect in DIALECTS[4:]},
}
_SINCE: Final = {
    "$anchor": 4,
    "$defs": 4,
    "$dynamicRef": 5,
    "$recursiveRef": 4,
    "allOf": 1,
    "anyOf": 1,
    "const": 2,
    "contains": 2,
    "contentEncoding": 3,
    "contentMediaType": 3,
    "dependentRequired": 4,
    "dependentSchemas": 4,
    "else": 3,
    "if": 3,
    "maxProperties": 1,
    "minProperties": 1,
    "multipleOf": 1,
    "not": 1,
    "oneOf": 1,
    "prefixItems": 5,
    "propertyNames": 2,
    "required": 1,
    "then": 3,
    "unevaluatedItems": 4,
    "unevaluatedProperties": 4,
}
_UNTIL: Final = {"additionalItems": 5, "dependencies": 4, "divisibleBy": 1, "$recursiveRef": 5}

JUDGING: Final = frozenset(
    {
        "$dynamicRef",
        "$recursiveRef",
        "$ref",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "disallow",
        "divisibleBy",
        "else",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "extends",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "nullable",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    }
)


def is_telling(keyword: str) -> bool:
    """Whether a keyword is there for readers only."""
    return keyword in TELLING


def is_foreign(keyword: str) -> bool:
    """Whether no dialect knows this keyword: it judges nothing, but somebody may act on it."""
    return not (keyword in JUDGING or keyword in SILENT or is_telling(keyword))


def dialect_of(root: JsonValue) -> str:
    """The dialect that a document is written in; one that says nothing is in the newest, as MCP has it.

    An address that is not exactly a known one is a dialect of its own: validators take it for the newest
    one, for the one that it resembles, or for none.
    """
    address = root.get("$schema", _NEWEST) if isinstance(root, dict) else _NEWEST
    if not isinstance(address, str):
        return "unknown"
    return _ADDRESSES.get(address.removesuffix("#"), f"unknown {address}")


def knows(dialect: str, keyword: str) -> bool:
    """Whether a dialect gives this keyword the meaning that the newest dialect gives it."""
    position = DIALECTS.index(dialect)
    return _SINCE.get(keyword, 0) <= position < _UNTIL.get(keyword, len(DIALECTS))


def escape(step: str) -> str:
    """One step of a JSON pointer (RFC 6901, section 3)."""
    return step.replace("~", "~0").replace("/", "~1")


def subschemas(schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """Every schema directly inside this one, with the pointer that leads to it from here."""
    for keyword, value in schema.items():
        if keyword in HOLDS_NAMED and isinstance(value, dict):
            for name, inner in value.items():
                if not isinstance(inner, list):
                    yield f"/{escape(keyword)}/{escape(name)}", inner
        elif keyword in HOLDS_LIST and isinstance(value, list):
            for position, inner in enumerate(value):
                yield f"/{keyword}/{position}", inner
        elif keyword in HOLDS_SCHEMA:
            yield f"/{keyword}", value
