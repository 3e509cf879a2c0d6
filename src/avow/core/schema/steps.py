"""From a schema to the schemas inside it, and which part of a value each of them is about."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from avow.core.schema.document import Document, Place
from avow.core.schema.vocabulary import subschemas

# The way from a value to one of its parts: `.name`, `/pattern/`, `*` for any other member, `[]` for an item.
Path: TypeAlias = tuple[str, ...]

_ITEM: Final = ("[]",)
_OTHER: Final = ("*",)
_PARTS: Final[dict[str, Path]] = {
    "additionalItems": _ITEM,
    "additionalProperties": _OTHER,
    "contains": _ITEM,
    "contentSchema": ("content",),
    "items": _ITEM,
    "prefixItems": _ITEM,
    "propertyNames": ("name",),
    "unevaluatedItems": _ITEM,
    "unevaluatedProperties": _OTHER,
}
_UNUSED: Final = ("$defs", "definitions")


def member(name: str) -> str:
    """The step to a member."""
    return f".{name}"


def inside(place: Place) -> Iterator[tuple[str, Path, Place]]:
    """The schemas that judge with this one: the keyword each stands under, the way to its part, its place."""
    if not isinstance(place.schema, dict):
        return
    for steps, schema in subschemas(place.schema):
        keyword, _, name = steps[1:].partition("/")
        if keyword not in _UNUSED:
            yield keyword, _way(keyword, name.replace("~1", "/").replace("~0", "~")), place.at(steps, schema)


def target(document: Document, place: Place) -> Place | None:
    """Where a schema's reference leads."""
    return document.resolve(place.schema.get("$ref")) if isinstance(place.schema, dict) else None


def _way(keyword: str, name: str) -> Path:
    if keyword == "properties":
        return (member(name),)
    if keyword == "patternProperties":
        return (f"/{name}/",)
    return _PARTS.get(keyword, ())
