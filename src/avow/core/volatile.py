"""Values that a server makes up anew at each look, such as the current time as a schema's default.

Only what a schema's `default` or `examples` holds can be volatile. A description or a validating
keyword that changes by itself is drift, since a model or a validator acts on it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.capability import Capability, Kind, Signature
from avow.core.snapshot import Snapshot
from avow.core.suspicion import suspicions
from avow.core.texts import texts

Path: TypeAlias = tuple[str | int, ...]

_VOLATILE: Final = frozenset({"default", "examples"})
_SCHEMAS: Final = ("inputSchema", "outputSchema")
_HOLDS_SCHEMA: Final = frozenset(
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
_HOLDS_LIST: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_HOLDS_NAMED: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)


def volatile_pointers(first: Snapshot, others: Iterable[Snapshot]) -> tuple[str, ...]:
    """The places whose value differs between two looks at the same server, and may.

    A place that is there in one look only is not volatile: something appeared or went away.
    """
    found: set[str] = set()
    for other in others:
        for name, tool in first.signature.tools.items():
            twin = other.signature.tools.get(name)
            if twin is not None and twin.digest != tool.digest:
                found.update(_differing(tool, twin))
    return tuple(sorted(found))


def with_volatile(snapshot: Snapshot, pointers: Iterable[str]) -> Snapshot:
    """The snapshot with the values at `pointers` replaced by null, and its digests taken anew.

    A pointer that leads nowhere in this snapshot, or not to a `default` or `examples`, changes nothing
    and is not listed in the result.
    """
    wanted = _by_capability(pointers)
    signature = Signature.of(mask(c, wanted.get(_prefix(c), frozenset())) for c in snapshot.signature)
    return replace(snapshot, signature=signature, volatile=tuple(sorted(_nulls(signature, wanted))))


def mask(capability: Capability, pointers: Collection[str]) -> Capability:
    """The capability with the values at `pointers` replaced by null.

    A value with suspicious text in it stays: a default reaches the model, and being volatile must not
    become a way around review.
    """
    definition = capability.definition
    for path, value in _places(capability) if pointers else ():
        if _pointer(capability, path) in pointers and not _is_suspicious(value):
            definition = _with_null(definition, path)
    return capability if definition is capability.definition else Capability.read(capability.kind, definition)


def unfit_pointers(snapshot: Snapshot) -> tuple[str, ...]:
    """The entries of `snapshot.volatile` that do not lead to a `default` or `examples` set to null.

    Avow never writes one: somebody would have to mark a description volatile to let it change unseen.
    """
    fit = set(_nulls(snapshot.signature, _by_capability(snapshot.volatile)))
    return tuple(pointer for pointer in snapshot.volatile if pointer not in fit)


def _differing(tool: Capability, twin: Capability) -> Iterator[str]:
    there = dict(_places(twin))
    for path, value in _places(tool):
        if path in there and canonical(value) != canonical(there[path]):
            yield _pointer(tool, path)


def _by_capability(pointers: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pointer in pointers:
        found.setdefault("/".join(pointer.split("/", 3)[:3]) + "/", set()).add(pointer)
    return found


def _nulls(signature: Signature, wanted: Mapping[str, Collection[str]]) -> Iterator[str]:
    for capability in signature:
        if pointers := wanted.get(_prefix(capability)):
            places = ((_pointer(capability, path), value) for path, value in _places(capability))
            yield from (pointer for pointer, value in places if value is None and pointer in pointers)


def _places(capability: Capability) -> Iterator[tuple[Path, JsonValue]]:
    """Every `default` and `examples` that is a schema's keyword, not a property that is called so."""
    if capability.kind is not Kind.TOOL:
        return
    definition = capability.definition
    waiting: list[tuple[Path, JsonValue]] = [((m,), definition[m]) for m in _SCHEMAS if m in definition]
    while waiting:
        path, schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        for keyword, value in schema.items():
            if keyword in _VOLATILE:
                yield (*path, keyword), value
            else:
                waiting.extend(_subschemas((*path, keyword), keyword, value))


def _subschemas(path: Path, keyword: str, value: JsonValue) -> Iterator[tuple[Path, JsonValue]]:
    match value:
        case dict() if keyword in _HOLDS_NAMED:
            yield from (((*path, name), schema) for name, schema in value.items())
        case dict() if keyword in _HOLDS_SCHEMA:
            yield path, value
        case list() if keyword in _HOLDS_LIST:
            yield from (((*path, position), schema) for position, schema in enumerate(value))


def _with_null(definition: JsonObject, path: Path) -> JsonObject:
    """A copy that shares everything off the path with the original."""
    result = dict(definition)
    holder: JsonValue = result
    for step in path[:-1]:
        child = holder[step]
        holder[step] = dict(child) if isinstance(child, dict) else list(child)
        holder = holder[step]
    holder[path[-1]] = None
    return result


def _is_suspicious(value: JsonValue) -> bool:
    return any(suspicions(text) for text in texts(value))


def _prefix(capability: Capability) -> str:
    return f"/{capability.kind.collection}/{_escape(capability.name)}/"


def _pointer(capability: Capability, path: Path) -> str:
    return _prefix(capability) + "/".join(_escape(str(step)) for step in path)


def _escape(step: str) -> str:
    """One step of a JSON pointer (RFC 6901, section 3)."""
    return step.replace("~", "~0").replace("/", "~1")
