"""What of a capability can be searched: its arguments with their types, its annotations, its words.

Everything here was written by a server: whatever is too long or too much is cut, and is only not found by it.
"""

from collections.abc import Iterator
from typing import Final

from avow.core.argument_places import find_target
from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Capability, Kind
from avow.core.snapshot import Snapshot
from avow.registry.store.rows import bounded
from avow.registry.store.searching import MAX_ARGUMENT_NAME
from avow.registry.store.words import words_of

MAX_ARGUMENTS: Final = 64
MAX_ANNOTATIONS: Final = 16
MAX_TITLE: Final = 200
MAX_DESCRIPTION: Final = 400
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_ALTERNATIVES: Final = frozenset({"anyOf", "oneOf", "allOf"})
_MAX_VARIANTS: Final = 20
_TOOL_NAMES: Final = 200
# What the specification says of a hint that is not there.
_HINTS: Final = {
    "readOnlyHint": "false",
    "destructiveHint": "true",
    "idempotentHint": "false",
    "openWorldHint": "true",
}


def arguments_of(capability: Capability) -> tuple[tuple[str, str], ...]:
    """Pairs of name and type, and for each name one with no type, by which it is found whatever it takes."""
    found: dict[tuple[str, str], None] = {}
    for name, types in _arguments(capability):
        key = bounded(name, MAX_ARGUMENT_NAME)
        found.update(dict.fromkeys((key, kind) for kind in ("", *sorted(types))))
        if len(found) >= MAX_ARGUMENTS:
            break
    return tuple(found)[:MAX_ARGUMENTS]


def _arguments(capability: Capability) -> Iterator[tuple[str, set[str]]]:
    if capability.kind is Kind.PROMPT:
        for argument in _list(capability.definition.get("arguments")):
            if isinstance(argument, dict) and isinstance(name := argument.get("name"), str):
                yield name, {"string"}
    schema = _object(capability.definition.get("inputSchema"))
    for name, part in _object(schema.get("properties")).items():
        yield name, _types(schema, part)


def _types(root: JsonObject, part: JsonValue) -> set[str]:
    """The JSON types that an argument takes, one reference and one level of alternatives deep."""
    resolved = _resolved(root, part)
    found = _named(resolved)
    for keyword in _ALTERNATIVES & resolved.keys():
        for variant in _list(resolved[keyword])[:_MAX_VARIANTS]:
            found |= _named(_resolved(root, variant))
    return found


def _named(schema: JsonObject) -> set[str]:
    named = schema.get("type")
    return {kind for kind in _list(named) or [named] if isinstance(kind, str) and kind in _TYPES}


def _resolved(root: JsonObject, part: JsonValue) -> JsonObject:
    reference = _object(part).get("$ref")
    return _object(find_target(root, reference)) if isinstance(reference, str) else _object(part)


def annotations_of(capability: Capability) -> tuple[tuple[str, str], ...]:
    """Pairs of name and value; a tool's hints also where only the specification's default says them."""
    if capability.kind is not Kind.TOOL:
        return ()
    found = dict(_HINTS)
    for name, value in _object(capability.definition.get("annotations")).items():
        if isinstance(value, bool):
            found[bounded(name, MAX_ARGUMENT_NAME)] = "true" if value else "false"
        if len(found) >= MAX_ANNOTATIONS:
            break
    return tuple(found.items())


def capability_words(capability: Capability, arguments: tuple[tuple[str, str], ...]) -> str:
    """The words of a capability: names first, since words are cut at a number."""
    definition = capability.definition
    texts = (capability.name, definition.get("title"), definition.get("description"))
    names = dict.fromkeys(name for name, _ in arguments)
    return " ".join(words_of([*(text for text in texts if isinstance(text, str)), *names]))


def server_words(name: str, snapshot: Snapshot) -> str:
    """The words of a server: its names, what it says of itself, and the names of what it offers."""
    texts = (snapshot.server.get("name"), title_of(snapshot), description_of(snapshot))
    offered = [capability.name for capability in snapshot.signature][:_TOOL_NAMES]
    return " ".join(words_of([name, *(text for text in texts if isinstance(text, str)), *offered]))


def title_of(snapshot: Snapshot) -> str:
    """What people call the server."""
    return bounded(snapshot.server.get("title"), MAX_TITLE)


def description_of(snapshot: Snapshot) -> str:
    """What the server says of itself."""
    told = snapshot.server.get("description")
    return bounded(told if isinstance(told, str) else snapshot.instructions, MAX_DESCRIPTION)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
