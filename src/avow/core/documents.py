"""Snapshots as JSON documents: what `inspect` prints, `--save` writes, and a lockfile holds per server.

What is read back is checked against its own digests, and members that this version does not know are
kept in `Snapshot.extra` and written again. `extra` mirrors the document: unknown members of the target
are under `target`, those of a tool's entry under `tools` and the tool's name.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeVar

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Capability, Kind, Signature
from avow.core.risk import Level, assess
from avow.core.snapshot import Era, Snapshot, Source, Volatile
from avow.core.target import read_target, target_document
from avow.core.volatile import unfit_pointers
from avow.errors import MalformedInputError

FORMAT: Final = 1

EDITED: Final = (
    "somebody edited it: take it from version control again, or run `avow lock` to review and approve "
    "what the server declares today"
)

_KNOWN: Final = frozenset(
    {
        "avow",
        "target",
        "server",
        "protocolVersion",
        "protocolVersions",
        "era",
        "capabilities",
        "instructions",
        "configurationSchema",
        "source",
        "complete",
        "digest",
        "notes",
        "volatile",
        "volatileShapes",
        *(kind.collection for kind in Kind),
    }
)
_KNOWN_OF_TARGET: Final = frozenset(
    {"type", "command", "args", "env", "cwd", "url", "headers", "object", "path"}
)
_KNOWN_OF_CAPABILITY: Final = frozenset({"name", "digest", "components", "risk", "definition"})
_KNOWN_OF_RISK: Final = frozenset({"level", "reasons"})

T = TypeVar("T")


def snapshot_document(snapshot: Snapshot) -> JsonObject:
    """The snapshot as one JSON object, with every digest and risk level beside what it is taken from."""
    document: JsonObject = {
        "avow": FORMAT,
        "target": {**target_document(snapshot.target), **snapshot.extra.get("target", {})},
        "server": snapshot.server,
        "protocolVersion": snapshot.protocol_version,
        "era": str(snapshot.era),
        "capabilities": snapshot.capabilities,
        "instructions": snapshot.instructions,
        "configurationSchema": snapshot.configuration_schema,
        "source": str(snapshot.source),
        "complete": snapshot.complete,
        "digest": snapshot.signature.digest,
    }
    for member, values in _optional_lists(snapshot):
        if values:
            document[member] = list(values)
    if snapshot.volatile:
        document["volatile"] = [place.pointer for place in snapshot.volatile]
        document["volatileShapes"] = {place.pointer: place.shape for place in snapshot.volatile}
    for kind in Kind:
        extras = snapshot.extra.get(kind.collection, {})
        capabilities = sorted(snapshot.signature.of_kind(kind).items())
        document[kind.collection] = [
            _capability_document(c, extras.get(name, {})) for name, c in capabilities
        ]
    return document | {member: value for member, value in snapshot.extra.items() if member not in document}


def read_snapshot_document(document: JsonValue) -> Snapshot:
    """The inverse of `snapshot_document`.

    Raises:
        MalformedInputError: it is no such document, or a digest in it does not fit what it is taken from.
    """
    _check_format(document)
    snapshot = Snapshot(
        target=read_target(document.get("target")),
        server=_member(document, "server", dict),
        protocol_version=_member(document, "protocolVersion", str),
        era=Era(_word(document, "era", [*Era])),
        capabilities=_member(document, "capabilities", dict),
        signature=_read_signature(document),
        instructions=_member(document, "instructions", str)
        if document.get("instructions") is not None
        else None,
        configuration_schema=document.get("configurationSchema"),
        protocol_versions=_strings(document, "protocolVersions"),
        source=Source(_word(document, "source", [*Source])),
        complete=_member(document, "complete", bool),
        notes=_strings(document, "notes"),
        volatile=_read_volatile(document),
    )
    if _member(document, "digest", str) != snapshot.signature.digest:
        raise MalformedInputError("the digest does not fit the capabilities beside it", hint=EDITED)
    for pointer in unfit_pointers(snapshot):
        raise MalformedInputError(
            f"{pointer!r} is listed as volatile, but is not a schema's default or examples set to null",
            hint=EDITED,
        )
    return replace(snapshot, extra=_extra(document))


def _optional_lists(snapshot: Snapshot) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "protocolVersions", snapshot.protocol_versions
    yield "notes", snapshot.notes


def _capability_document(capability: Capability, extra: JsonObject) -> JsonObject:
    risk = assess(capability)
    return {
        **extra,
        "name": capability.name,
        "digest": capability.digest,
        "components": capability.components,
        "risk": {**extra.get("risk", {}), "level": str(risk.level), "reasons": list(risk.reasons)},
        "definition": capability.definition,
    }


def _check_format(document: JsonValue) -> None:
    version = document.get("avow") if isinstance(document, dict) else None
    # A boolean is an integer to Python, not to JSON.
    if not isinstance(version, int) or isinstance(version, bool):
        raise MalformedInputError(
            "this is not a snapshot that Avow wrote", hint="`avow inspect TARGET --save FILE` writes one"
        )
    if version != FORMAT:
        raise MalformedInputError(
            f"the snapshot has format {version}, this Avow reads format {FORMAT}", hint="upgrade Avow"
        )


def _read_volatile(document: JsonObject) -> tuple[Volatile, ...]:
    pointers, shapes = _strings(document, "volatile"), document.get("volatileShapes", {})
    if not isinstance(shapes, dict) or {*shapes} != {*pointers} or not all(map(_is_shape, shapes.values())):
        raise MalformedInputError(
            "'volatileShapes' does not have one shape for each volatile value", hint=EDITED
        )
    return tuple(Volatile(pointer, shapes[pointer]) for pointer in pointers)


def _is_shape(value: JsonValue) -> bool:
    """Whether a value could be a shape: names of kinds, in arrays and objects like those of the value."""
    match value:
        case list():
            return all(map(_is_shape, value))
        case dict():
            return all(map(_is_shape, value.values()))
        case _:
            return isinstance(value, str)


def _read_signature(document: JsonObject) -> Signature:
    return Signature.of(
        _read_capability(kind, entry) for kind in Kind for entry in _member(document, kind.collection, list)
    )


def _read_capability(kind: Kind, entry: JsonValue) -> Capability:
    if not isinstance(entry, dict):
        raise MalformedInputError(f"an entry of {kind.collection} is not an object")
    capability = Capability.read(kind, entry.get("definition"))
    label = f"{kind} {capability.name!r}"
    if entry.get("name") != capability.name:
        raise MalformedInputError(f"the name beside {label} is not the one in its definition", hint=EDITED)
    if entry.get("digest") != capability.digest:
        raise MalformedInputError(f"the digest of {label} does not fit its definition", hint=EDITED)
    components = _member(entry, "components", dict)
    for component, digest in capability.components.items():
        if components.get(component) != digest:
            raise MalformedInputError(f"the {component} digest of {label} does not fit", hint=EDITED)
    risk = _member(entry, "risk", dict)
    _word(risk, "level", [*Level])
    _strings(risk, "reasons")
    return capability


def _extra(document: JsonObject) -> JsonObject:
    """Everything in a document that was read without being understood."""
    extra = _without(document, _KNOWN)
    if of_target := _without(document["target"], _KNOWN_OF_TARGET):
        extra["target"] = of_target
    for kind in Kind:
        entries = {entry["name"]: _extra_of_entry(entry) for entry in document[kind.collection]}
        if kept := {name: unknown for name, unknown in entries.items() if unknown}:
            extra[kind.collection] = kept
    return extra


def _extra_of_entry(entry: JsonObject) -> JsonObject:
    extra = _without(entry, _KNOWN_OF_CAPABILITY)
    if of_risk := _without(entry["risk"], _KNOWN_OF_RISK):
        extra["risk"] = of_risk
    return extra


def _without(document: JsonObject, known: frozenset[str]) -> JsonObject:
    return {member: value for member, value in document.items() if member not in known}


def _member(document: JsonObject, member: str, expected: type[T]) -> T:
    value = document.get(member)
    if not isinstance(value, expected):
        raise MalformedInputError(f"{member!r} is missing, or of the wrong type", hint=EDITED)
    return value


def _word(document: JsonObject, member: str, words: list[str]) -> str:
    value = document.get(member)
    if value not in words:
        raise MalformedInputError(f"{member!r} is none of {', '.join(words)}", hint=EDITED)
    return str(value)


def _strings(document: JsonObject, member: str) -> tuple[str, ...]:
    values = document.get(member, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise MalformedInputError(f"{member!r} is not a list of strings", hint=EDITED)
    return tuple(values)
