"""Values that a server makes up anew at each look, such as the current time as a schema's default.

Only what a schema's `default` or `examples` holds can be volatile. A description or a validating
keyword that changes by itself is drift, since a model or a validator acts on it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.capability import Capability, Kind, Signature
from avow.core.schema.vocabulary import escape, subschemas
from avow.core.snapshot import Snapshot
from avow.core.suspicion import suspicions
from avow.core.texts import texts

_KEYWORDS: Final = ("default", "examples")
_SCHEMAS: Final = ("inputSchema", "outputSchema")


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
    for pointer, value in _places(capability) if pointers else ():
        if pointer in pointers and not any(suspicions(text) for text in texts(value)):
            definition = _with_null(definition, pointer.removeprefix(_prefix(capability)))
    return capability if definition is capability.definition else Capability.read(capability.kind, definition)


def unfit_pointers(snapshot: Snapshot) -> tuple[str, ...]:
    """The entries of `snapshot.volatile` that do not lead to a `default` or `examples` set to null.

    Avow never writes one: somebody would have to mark a description volatile to let it change unseen.
    """
    fit = set(_nulls(snapshot.signature, _by_capability(snapshot.volatile)))
    return tuple(pointer for pointer in snapshot.volatile if pointer not in fit)


def _differing(tool: Capability, twin: Capability) -> Iterator[str]:
    there = dict(_places(twin))
    for pointer, value in _places(tool):
        if pointer in there and canonical(value) != canonical(there[pointer]):
            yield pointer


def _by_capability(pointers: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pointer in pointers:
        found.setdefault("/".join(pointer.split("/", 3)[:3]) + "/", set()).add(pointer)
    return found


def _nulls(signature: Signature, wanted: Mapping[str, Collection[str]]) -> Iterator[str]:
    for capability in signature:
        if pointers := wanted.get(_prefix(capability)):
            yield from (place for place, value in _places(capability) if value is None and place in pointers)


def _places(capability: Capability) -> Iterator[tuple[str, JsonValue]]:
    """Every `default` and `examples` that is a schema's keyword, not a property that is called so."""
    if capability.kind is not Kind.TOOL:
        return
    prefix, definition = _prefix(capability), capability.definition
    waiting = [(prefix + member, definition[member]) for member in _SCHEMAS if member in definition]
    while waiting:
        place, schema = waiting.pop()
        if isinstance(schema, dict):
            yield from ((f"{place}/{keyword}", schema[keyword]) for keyword in _KEYWORDS if keyword in schema)
            waiting.extend((place + step, inner) for step, inner in subschemas(schema))


def _with_null(definition: JsonObject, pointer: str) -> JsonObject:
    """A copy that shares everything off the path with the original."""
    result = dict(definition)
    holder: JsonValue = result
    *steps, last = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/"))
    for step in steps:
        key = int(step) if isinstance(holder, list) else step
        child = holder[key]
        holder[key] = dict(child) if isinstance(child, dict) else list(child)
        holder = holder[key]
    holder[last] = None
    return result


def _prefix(capability: Capability) -> str:
    return f"/{capability.kind.collection}/{escape(capability.name)}/"
