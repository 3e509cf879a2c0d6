"""What a version offers and needs, as pages show it: as rated here, whatever its publisher wrote."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from avow.core.canonical import Digest, JsonObject, JsonValue
from avow.core.capability import Kind
from avow.core.configuration.model import Parameter
from avow.core.configuration.wire import read_schema
from avow.core.risk import Level
from avow.core.snapshot import Snapshot
from avow.errors import DeclarationError
from avow.registry.snapshots import Entry, stored_outline
from avow.registry.store.contents import Contents
from avow.registry.store.packing import Stored

MOST_ARGUMENTS: Final = 40
MOST_WHOLE: Final = 48
"""How many capabilities are shown with all about them, the riskiest first; the others are linked."""

MOST_LISTED: Final = 500
_MOST_HINTS: Final = 8


@dataclass(frozen=True, slots=True)
class Argument:
    """Something that a tool or a prompt takes."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Offered:
    """One capability; `details` are left out where there are very many."""

    kind: Kind
    name: str
    title: str
    description: str
    digest: Digest
    details: "Details | None"


@dataclass(frozen=True, slots=True)
class Details:
    """What there is to say about a capability beyond a line."""

    reasons: tuple[str, ...]
    arguments: tuple[Argument, ...]
    more_arguments: int
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The capabilities of one level; `more` are not even listed."""

    level: Level
    offered: tuple[Offered, ...]
    more: int

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.offered) + self.more


@dataclass(frozen=True, slots=True)
class Offering:
    """Everything about one version that its snapshot tells; `groups` have the highest risk first."""

    snapshot: Snapshot
    title: str
    website: str
    declared_version: str
    groups: tuple[Group, ...]
    parameters: tuple[Parameter, ...] | None


def read_offering(contents: Contents) -> Offering:
    """Take apart what was published; slow for large signatures, so not for the event loop."""
    snapshot, entries = stored_outline(contents.payload)
    return Offering(
        snapshot,
        _text(snapshot.server, "title"),
        _text(snapshot.server, "websiteUrl"),
        _text(snapshot.server, "version"),
        tuple(_groups([(kind, each, contents.capabilities[kind, each.digest]) for kind, each in entries])),
        _parameters(snapshot.configuration_schema),
    )


def _groups(rated: list[tuple[Kind, Entry, Stored]]) -> Iterator[Group]:
    whole, listed = MOST_WHOLE, MOST_LISTED
    for level in sorted(Level, key=lambda level: -level.rank):
        found = [each for each in rated if each[2].risk is level]
        offered = tuple(
            _whole(*each) if place < whole else _brief(*each) for place, each in enumerate(found[:listed])
        )
        whole, listed = max(whole - len(offered), 0), listed - len(offered)
        if found:
            yield Group(level, offered, len(found) - len(offered))


def described(definition: JsonObject) -> tuple[str, str]:
    """The title and the description that a definition gives itself."""
    title = _text(definition, "title") or _text(_object(definition.get("annotations")), "title")
    return title, _text(definition, "description")


def arguments_of(kind: Kind, definition: JsonObject) -> tuple[Argument, ...]:
    """What can be passed, in the server's order."""
    return tuple(_prompt_arguments(definition) if kind is Kind.PROMPT else _tool_arguments(definition))


def _brief(kind: Kind, entry: Entry, _: Stored) -> Offered:
    """Only what a line has room for is read."""
    description = entry.member("description")
    return Offered(
        kind, entry.name, "", description if isinstance(description, str) else "", entry.digest, None
    )


def _whole(kind: Kind, entry: Entry, stored: Stored) -> Offered:
    definition = entry.read()
    title, description = described(definition)
    arguments = arguments_of(kind, definition)
    hints = _object(definition.get("annotations"))
    details = Details(
        tuple(json.loads(stored.reasons)),
        arguments[:MOST_ARGUMENTS],
        max(len(arguments) - MOST_ARGUMENTS, 0),
        tuple(name for name, value in hints.items() if value is True and name.endswith("Hint"))[:_MOST_HINTS],
    )
    return Offered(kind, entry.name, title, description, entry.digest, details)


def _parameters(schema: JsonValue) -> tuple[Parameter, ...] | None:
    try:
        return tuple(read_schema(schema)) if schema is not None else None
    except DeclarationError:
        return None


def _tool_arguments(definition: JsonObject) -> Iterator[Argument]:
    schema = _object(definition.get("inputSchema"))
    listed = schema.get("required")
    required = {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()
    for name, part in _object(schema.get("properties")).items():
        yield Argument(name, _type(part), name in required, _text(_object(part), "description"))


def _prompt_arguments(definition: JsonObject) -> Iterator[Argument]:
    listed = definition.get("arguments")
    for each in listed if isinstance(listed, list) else []:
        name = _text(_object(each), "name")
        yield Argument(
            name, "string", _object(each).get("required") is True, _text(_object(each), "description")
        )


def _type(part: JsonValue) -> str:
    match _object(part):
        case {"enum": list(values)}:
            return f"one of {len(values)}"
        case {"type": str(name)}:
            return name
        case {"type": list(names)}:
            return " or ".join(str(name) for name in names[:7])
        case {"anyOf": list(parts)} | {"oneOf": list(parts)}:
            return " or ".join(dict.fromkeys(_text(_object(each), "type") or "any" for each in parts[:7]))
        case _:
            return "any"


def _object(value: JsonValue) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(holder: Mapping[str, Any], member: str) -> str:
    value = holder.get(member)
    return value if isinstance(value, str) else ""
