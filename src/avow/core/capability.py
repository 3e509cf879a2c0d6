"""Capabilities and signatures: one tool, prompt, resource or template, and the set a server offers.

A capability is its definition as it came over the wire, members that nobody knows included.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from avow.core.canonical import Digest, JsonObject, JsonValue, digest, digest_of
from avow.errors import DeclarationError


class Kind(StrEnum):
    """The four kinds of capability; the value is the word that reports use."""

    TOOL = "tool"
    PROMPT = "prompt"
    RESOURCE = "resource"
    TEMPLATE = "template"

    @property
    def collection(self) -> str:
        """The member that holds this kind in list results, signatures and lockfiles."""
        return _COLLECTIONS[self]

    @property
    def identifier(self) -> str:
        """The member of a definition that names it."""
        return _IDENTIFIERS[self]

    @property
    def list_method(self) -> str:
        """The request that lists this kind."""
        return _LIST_METHODS[self]


_ORDER: Final = {kind: place for place, kind in enumerate(Kind)}
_COLLECTIONS: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resourceTemplates",
}
_IDENTIFIERS: Final = {
    Kind.TOOL: "name",
    Kind.PROMPT: "name",
    Kind.RESOURCE: "uri",
    Kind.TEMPLATE: "uriTemplate",
}
_LIST_METHODS: Final = {
    Kind.TOOL: "tools/list",
    Kind.PROMPT: "prompts/list",
    Kind.RESOURCE: "resources/list",
    Kind.TEMPLATE: "resources/templates/list",
}


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability: its key, its whole definition, and the digest of that definition."""

    kind: Kind
    name: str
    definition: JsonObject
    digest: Digest = field(compare=False)

    @classmethod
    def read(cls, kind: Kind, definition: JsonValue) -> "Capability":
        """Take one item of a list as it came.

        Raises:
            DeclarationError: it is not an object, or does not say what it is called.
        """
        if not isinstance(definition, dict):
            raise DeclarationError(f"an entry of {kind.collection} is not an object")
        name = definition.get(kind.identifier)
        if not isinstance(name, str) or not name:
            raise DeclarationError(f"an entry of {kind.collection} has no {kind.identifier}")
        return cls(kind, name, definition, digest(definition))

    @property
    def components(self) -> dict[str, Digest]:
        """Digests of the parts that people ask about one by one."""
        description = self.definition.get("description")
        text = description if isinstance(description, str) else ""
        parts = {"description": digest_of(text.encode())}
        for member in ("inputSchema", "outputSchema", "annotations"):
            if member in self.definition:
                parts[member] = digest(self.definition[member])
        return parts


@dataclass(frozen=True, slots=True)
class Signature:
    """A set of capabilities with at most one of each kind and name."""

    tools: Mapping[str, Capability] = field(default_factory=dict)
    prompts: Mapping[str, Capability] = field(default_factory=dict)
    resources: Mapping[str, Capability] = field(default_factory=dict)
    templates: Mapping[str, Capability] = field(default_factory=dict)

    @classmethod
    def of(cls, capabilities: Iterable[Capability]) -> "Signature":
        """Collect capabilities.

        Raises:
            DeclarationError: two of one kind share a name: a client would take one, we the other.
        """
        found: dict[Kind, dict[str, Capability]] = {kind: {} for kind in Kind}
        for capability in capabilities:
            if capability.name in found[capability.kind]:
                raise DeclarationError(f"two {capability.kind.collection} are called {capability.name!r}")
            found[capability.kind][capability.name] = capability
        return cls(found[Kind.TOOL], found[Kind.PROMPT], found[Kind.RESOURCE], found[Kind.TEMPLATE])

    def of_kind(self, kind: Kind) -> Mapping[str, Capability]:
        """The capabilities of one kind, by name."""
        by_kind = (self.tools, self.prompts, self.resources, self.templates)
        return by_kind[_ORDER[kind]]

    def __iter__(self) -> Iterator[Capability]:
        """Every capability, kind by kind, in the order of the wire."""
        for kind in Kind:
            yield from self.of_kind(kind).values()

    @property
    def digest(self) -> Digest:
        """One digest for the whole set; it does not depend on any order."""
        return digest(
            {
                kind.collection: {name: capability.digest for name, capability in self.of_kind(kind).items()}
                for kind in Kind
            }
        )
