"""What one connection to a server showed: the value that everything else compares, stores and judges."""

from dataclasses import dataclass, field
from enum import StrEnum

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Signature
from avow.core.target import Target


class Era(StrEnum):
    """The two ways to speak MCP: with the `initialize` handshake, or stateless with `server/discover`."""

    LEGACY = "legacy"
    MODERN = "modern"


class Source(StrEnum):
    """Where a signature comes from: the server's own declaration, or its lists at one moment."""

    DECLARED = "declared"
    FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class Volatile:
    """A place whose value a server makes up anew at each look: its JSON pointer, and the shape it keeps."""

    pointer: str
    shape: JsonValue = field(hash=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole negotiated surface of a server, as it came over the wire.

    `complete` is false when a list could not be read to its end or a kind cannot be enumerated;
    `notes` then says which, in words for a person.
    """

    target: Target
    server: JsonObject
    protocol_version: str
    era: Era
    capabilities: JsonObject
    signature: Signature
    instructions: str | None = None
    configuration_schema: JsonValue = None
    protocol_versions: tuple[str, ...] = ()
    source: Source = Source.FROZEN
    complete: bool = True
    notes: tuple[str, ...] = ()
    volatile: tuple[Volatile, ...] = ()
    extra: JsonObject = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the server calls itself."""
        name = self.server.get("name")
        return name if isinstance(name, str) else ""
