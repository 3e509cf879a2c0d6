"""Values that a server makes up anew at each look, such as the current time as a schema's default.

Only what a schema's `default` or `examples` holds can be volatile, and only while it keeps its shape. A
description or a validating keyword that changes by itself is drift, since a model or a validator acts on it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.capability import Capability, Kind, Signature
from avow.core.schema.vocabulary import escape, subschemas
from avow.core.snapshot import Snapshot, Volatile
from avow.core.texts import texts

_KEYWORDS: Final = ("default", "examples")
_SCHEMAS: Final = ("inputSchema", "outputSchema")
# Members that make one place of a document stand for another; `$data` is an extension that validators have.
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "$data"})
_BASES: Final = frozenset({"$id", "id"})

_Wanted = Mapping[str, list[Volatile]]


def volatile_pointers(first: Snapshot, others: Iterable[Snapshot]) -> tuple[Volatile, ...]:
    """The places whose value differs between the looks at one server, and may.

    A place that is there in one look only is not volatile: something appeared or went away. Nor is one whose
    values have no shape in common.
    """
    looks = tuple(others)
    found: list[Volatile] = []
    for name, tool in first.signature.tools.items():
        twins = [twin for look in looks if (twin := look.signature.tools.get(name)) is not None]
        if changed := [twin for twin in twins if twin.digest != tool.digest]:
            found.extend(_differing(tool, changed))
    return tuple(sorted(found, key=lambda place: place.pointer))


def with_volatile(snapshot: Snapshot, volatile: Iterable[Volatile]) -> Snapshot:
    """The snapshot with the values at these places replaced by null, and its digests taken anew.

    A place that is not there, is no `default` or `examples`, or holds something of another shape changes
    nothing and is not listed in the result.
    """
    wanted = _by_pointer((*snapshot.volatile, *volatile))
    masked = [_masked(c, wanted.get(_prefix(c), {}), snapshot.volatile) for c in snapshot.signature]
    places = (place for _, found in masked for place in found)
    return replace(
        snapshot,
        signature=Signature.of(capability for capability, _ in masked),
        volatile=tuple(sorted(places, key=lambda place: place.pointer)),
    )


def mask(capability: Capability, volatile: Collection[Volatile]) -> Capability:
    """The capability with the values at these places replaced by null, where they are of the right shape.

    A value with suspicious text in it stays: a default reaches the model, and being volatile must not
    become a way around review.
    """
    if not volatile:
        return capability
    return _masked(capability, _by_pointer(volatile).get(_prefix(capability), {}))[0]


def unfit_pointers(snapshot: Snapshot) -> tuple[str, ...]:
    """The entries of `snapshot.volatile` that do not lead to a `default` or `examples` set to null.

    Avow never writes one: somebody would have to mark a description volatile to let it change unseen.
    """
    wanted = _by_pointer(snapshot.volatile)
    fit = {
        pointer
        for capability in snapshot.signature
        if _prefix(capability) in wanted
        for pointer, value in _places(capability)
        if value is None
    }
    return tuple(place.pointer for place in snapshot.volatile if place.pointer not in fit)


def _differing(tool: Capability, twins: list[Capability]) -> Iterator[Volatile]:
    from avow.core.value_shape import shape_of

    there = [dict(_places(twin)) for twin in twins]
    for pointer, value in _places(tool):
        values = [value, *(places[pointer] for places in there if pointer in places)]
        if len({canonical(each) for each in values}) > 1 and (shape := shape_of(values)) is not None:
            yield Volatile(pointer, shape)


def _by_pointer(volatile: Iterable[Volatile]) -> dict[str, dict[str, list[Volatile]]]:
    """The places by the beginning of their pointer, which names a capability, and by the whole of it."""
    found: dict[str, dict[str, list[Volatile]]] = {}
    for place in volatile:
        prefix = "/".join(place.pointer.split("/", 3)[:3]) + "/"
        found.setdefault(prefix, {}).setdefault(place.pointer, []).append(place)
    return found


def _masked(
    capability: Capability, wanted: _Wanted, already: Collection[Volatile] = ()
) -> tuple[Capability, list[Volatile]]:
    """The capability without its volatile values, and where these were; those `already` null stay so."""
    if not wanted:
        return capability, []
    # Late: most entries have nothing volatile, and whoever reads a lockfile waits for what is loaded.
    from avow.core.suspicion import suspicions
    from avow.core.value_shape import fits

    definition, found = capability.definition, []
    for pointer, value in _places(capability):
        for place in wanted.get(pointer, ()):
            if value is None and place in already:
                found.append(place)
                break
            if fits(place.shape, value) and not any(suspicions(text) for text in texts(value)):
                definition = _with_null(definition, pointer.removeprefix(_prefix(capability)))
                found.append(place)
                break
    if definition is capability.definition:
        return capability, found
    return Capability.read(capability.kind, definition), found


def _places(capability: Capability) -> Iterator[tuple[str, JsonValue]]:
    """Every `default` and `examples` that is a schema's keyword, not a property that is called so.

    A tool has none when a reference in it may make a schema of such a value.
    """
    if capability.kind is not Kind.TOOL:
        return
    definition, prefix = capability.definition, _prefix(capability)
    found = {member: dict(_schemas(definition[member])) for member in _SCHEMAS if member in definition}
    if not all(_refers_to_schemas(definition[member], schemas) for member, schemas in found.items()):
        return
    for member, schemas in found.items():
        for place, schema in schemas.items():
            for keyword in _KEYWORDS:
                if keyword in schema:
                    yield f"{prefix}{member}{place}/{keyword}", schema[keyword]


def _schemas(root: JsonValue) -> Iterator[tuple[str, JsonObject]]:
    waiting = [("", root)]
    while waiting:
        place, schema = waiting.pop()
        if isinstance(schema, dict):
            yield place, schema
            waiting.extend((place + step, inner) for step, inner in subschemas(schema))


def _refers_to_schemas(root: JsonValue, schemas: Collection[str]) -> bool:
    """Whether every reference, wherever it is, leads to a place where a schema belongs.

    What `#` stands for below a second `$id` is not worked out: then no reference is trusted.
    """
    waiting, has_reference, has_base = [root], False, False
    while waiting:
        value = waiting.pop()
        members = value if isinstance(value, dict) else {}
        for member, text in members.items():
            if member in _REFERENCES and isinstance(text, str):
                has_reference = True
                if text.removeprefix("#") not in schemas or not text.startswith("#"):
                    return False
            has_base |= member in _BASES and isinstance(text, str) and value is not root
        waiting.extend(members.values() if members else value if isinstance(value, list) else ())
    return not (has_reference and has_base)


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
