"""Reads the arguments out of an input schema: names, types and choices, at any depth, within limits."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.risk.sentences import NAME_LIMIT, tokens

# How many parts of a schema are looked at. The largest real tool has some hundreds.
NODE_LIMIT: Final = 20_000
_TEXT_LIMIT: Final = 1_000
_VALUES_LIMIT: Final = 100

_SUBSCHEMAS: Final = (
    "items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties", "if", "then", "else"
)  # fmt: skip
_NAMED_SUBSCHEMAS: Final = ("$defs", "definitions", "patternProperties", "dependentSchemas")
_HOLDERS: Final = frozenset({"properties", *_SUBSCHEMAS, *_NAMED_SUBSCHEMAS})


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool, wherever in the schema it is declared."""

    name: str
    words: frozenset[str]
    description: str
    types: frozenset[str]
    values: tuple[str, ...]
    nested: bool

    @property
    def is_text(self) -> bool:
        """Whether it takes a string, or several, or whatever comes."""
        return not self.types or bool(self.types & {"string", "array"})


def read_arguments(schema: JsonValue) -> tuple[tuple[Argument, ...], bool]:
    """Every property that the schema declares, the outer first; and whether all of it was read."""
    found: list[Argument] = []
    outer = as_object(as_object(schema).get("properties"))
    queue: deque[tuple[str | None, JsonValue]] = deque([(None, schema)])
    for _ in range(NODE_LIMIT):
        if not queue:
            break
        name, node = queue.popleft()
        if name is not None:
            found.append(_argument(name, as_object(node), nested=outer.get(name) is not node))
        if isinstance(node, list):
            queue.extend((None, item) for item in node)
        elif isinstance(node, dict):
            queue.extend(_children(node))
    return tuple(found), not queue


def as_object(value: JsonValue) -> JsonObject:
    """The value if it is an object, and an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def _children(schema: JsonObject) -> list[tuple[str | None, JsonValue]]:
    if _HOLDERS.isdisjoint(schema):
        return []
    children: list[tuple[str | None, JsonValue]] = list(as_object(schema.get("properties")).items())
    children += [(None, schema[keyword]) for keyword in _SUBSCHEMAS if keyword in schema]
    for keyword in _NAMED_SUBSCHEMAS:
        children += [(None, value) for value in as_object(schema.get(keyword)).values()]
    return children


def _argument(name: str, schema: JsonObject, *, nested: bool) -> Argument:
    variants = [schema]
    if "anyOf" in schema:
        variants += [item for item in _as_list(schema["anyOf"]) if isinstance(item, dict)]
    types = [item for variant in variants for item in _as_list(variant.get("type"))]
    values = [item for variant in variants for item in (*_as_list(variant.get("enum")), variant.get("const"))]
    description = schema.get("description")
    return Argument(
        name=name,
        words=frozenset(tokens(name)) | {name[:NAME_LIMIT].lower()} | _format_words(schema),
        description=description[:_TEXT_LIMIT].lower() if isinstance(description, str) else "",
        types=frozenset(item for item in types if isinstance(item, str)),
        values=tuple(value[:NAME_LIMIT] for value in values if isinstance(value, str)),
        nested=nested,
    )


def _format_words(schema: JsonObject) -> frozenset[str]:
    """An argument whose format is an address is one, whatever it is called."""
    return frozenset({"uri"}) if schema.get("format") in ("uri", "url", "uri-reference") else frozenset()


def _as_list(value: JsonValue) -> list[JsonValue]:
    return value[:_VALUES_LIMIT] if isinstance(value, list) else [value]
