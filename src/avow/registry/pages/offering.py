"""What a version offers and needs, as pages show it: rated here, whatever its publisher wrote."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from avow.core.canonical import Digest, JsonObject, JsonValue
from avow.core.capability import Capability, Kind
from avow.core.configuration.model import Parameter
from avow.core.configuration.wire import read_schema
from avow.core.publication import read_publication
from avow.core.risk import Level, Risk, assess
from avow.core.snapshot import Snapshot
from avow.errors import DeclarationError

MOST_ARGUMENTS: Final = 40
_MOST_RATINGS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Argument:
    """Something that a tool or a prompt takes."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Offered:
    """One capability."""

    kind: Kind
    name: str
    title: str
    description: str
    digest: Digest
    risk: Risk
    arguments: tuple[Argument, ...]
    more_arguments: int
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offering:
    """Everything about one version that its snapshot tells; `by_risk` has the highest first."""

    snapshot: Snapshot
    title: str
    website: str
    declared_version: str
    by_risk: tuple[tuple[Level, tuple[Offered, ...]], ...]
    parameters: tuple[Parameter, ...] | None


class Ratings:
    """The risk of capabilities by digest, since rating is slow and the same definition has the same risk.

    Those that were asked for longest ago are forgotten first, so that memory is bounded.
    """

    def __init__(self, rate: Callable[[Capability], Risk] = assess, most: int = _MOST_RATINGS) -> None:
        """Nothing is rated yet."""
        self._rate = rate
        self._most = most
        self._known: OrderedDict[tuple[Kind, Digest], Risk] = OrderedDict()
        # Pages are made in several threads.
        self._lock = threading.Lock()

    def of(self, capability: Capability) -> Risk:
        """The risk of one capability."""
        key = (capability.kind, capability.digest)
        with self._lock:
            if known := self._known.get(key):
                self._known.move_to_end(key)
                return known
        risk = self._rate(capability)
        with self._lock:
            self._known[key] = risk
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return risk


def read_offering(payload: bytes, ratings: Ratings) -> Offering:
    """Take apart what was published; slow for large signatures, so not for the event loop."""
    snapshot = read_publication(payload).snapshot
    offered = [_offered(each, ratings.of(each)) for each in snapshot.signature]
    levels = sorted(Level, key=lambda level: -level.rank)
    return Offering(
        snapshot,
        _text(snapshot.server, "title"),
        _text(snapshot.server, "websiteUrl"),
        _text(snapshot.server, "version"),
        tuple((level, tuple(each for each in offered if each.risk.level is level)) for level in levels),
        _parameters(snapshot.configuration_schema),
    )


def described(definition: JsonObject) -> tuple[str, str]:
    """The title and the description that a definition gives itself."""
    title = _text(definition, "title") or _text(_object(definition.get("annotations")), "title")
    return title, _text(definition, "description")


def arguments_of(kind: Kind, definition: JsonObject) -> tuple[Argument, ...]:
    """What can be passed, in the server's order."""
    return tuple(_prompt_arguments(definition) if kind is Kind.PROMPT else _tool_arguments(definition))


def _offered(capability: Capability, risk: Risk) -> Offered:
    title, description = described(capability.definition)
    arguments = arguments_of(capability.kind, capability.definition)
    hints = _object(capability.definition.get("annotations"))
    return Offered(
        capability.kind,
        capability.name,
        title,
        description,
        capability.digest,
        risk,
        arguments[:MOST_ARGUMENTS],
        max(len(arguments) - MOST_ARGUMENTS, 0),
        tuple(name for name, value in hints.items() if value is True and name.endswith("Hint"))[:8],
    )


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
