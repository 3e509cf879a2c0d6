"""Where in a document a keyword stands that a difference is about."""

from collections.abc import Iterator, Sequence

from avow.core.canonical import JsonValue
from avow.core.schema.document import Place
from avow.core.schema.normalise import Reader
from avow.core.schema.shapes import Node

_REACH = 3
_ALTERNATIVES = 8


def located(
    before: Reader, after: Reader, old: Node, new: Node, keywords: Sequence[str]
) -> tuple[str, str, JsonValue, JsonValue]:
    """The pointer to the first of `keywords` that is in either document, what happened to it, both values.

    It points into the later document if the keyword is there, else into the earlier one. Without a
    keyword that is there, it points to the schema as a whole.
    """
    for keyword in keywords:
        was, is_now = _holder(before, old, keyword), _holder(after, new, keyword)
        if place := is_now or was:
            change = "added" if was is None else "removed" if is_now is None else "changed"
            return f"{place.pointer}/{keyword}", change, _value(was, keyword), _value(is_now, keyword)
    first, second = (old[0] if old else None), (new[0] if new else None)
    whole = second or first or Place("", None)
    return whole.pointer, "changed", first and first.schema, second and second.schema


def _holder(reader: Reader, node: Node, keyword: str) -> Place | None:
    """The place of a node, or right behind its references and alternatives, that has a keyword."""
    for place in node:
        for candidate in _nearby(reader, place, _REACH):
            if isinstance(candidate.schema, dict) and keyword in candidate.schema:
                return candidate
    return None


def _nearby(reader: Reader, place: Place, reach: int) -> Iterator[Place]:
    yield place
    if not reach or not isinstance(place.schema, dict):
        return
    if (target := reader.document.resolve(place.schema.get("$ref"))) is not None:
        yield from _nearby(reader, target, reach - 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        inner = place.schema.get(keyword)
        for position, schema in enumerate(inner[:_ALTERNATIVES] if isinstance(inner, list) else ()):
            yield from _nearby(reader, place.at(f"/{keyword}/{position}", schema), reach - 1)


def _value(place: Place | None, keyword: str) -> JsonValue:
    return None if place is None else place.schema[keyword]
