"""A signature that was settled: what the server could ever offer, and how each protocol version shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_types.methods import serialize_server_result
from pydantic import BaseModel

from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.core.variants import Resolver, Variant, with_variants

_REQUIRED: Final[JsonObject] = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
"""What a list result must have beside its items on 2026-07-28; older versions drop it."""


@dataclass(frozen=True)
class Generation:
    """Everything that a server declared at one time; it never changes."""

    definitions: Mapping[Kind, Sequence[JsonObject]]
    variants: Mapping[str, tuple[Variant, ...]]
    open: frozenset[Kind]
    names: Mapping[Kind, frozenset[str]]
    _contracts: dict[str, Contract] = field(default_factory=dict, repr=False, compare=False)
    _resolvers: dict[tuple[str, str], Resolver] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        models: Mapping[Kind, Sequence[BaseModel]],
        variants: Mapping[str, tuple[Variant, ...]],
        open_kinds: frozenset[Kind],
    ) -> "Generation":
        """Settle what a framework says it has.

        Raises:
            DeclarationError: two capabilities of one kind share a name.
        """
        definitions = {kind: [_dumped(model) for model in found] for kind, found in models.items()}
        settled = Signature.of(Capability.read(kind, item) for kind in Kind for item in definitions[kind])
        names = {kind: frozenset(settled.of_kind(kind)) for kind in Kind}
        return cls(definitions, variants, open_kinds, names)

    def contract(self, version: str) -> Contract:
        """The signature with exactly the definitions that lists carry in a protocol version."""
        known = self._contracts.get(version)
        if known is None:
            signature = Signature.of(
                Capability.read(kind, item) for kind in Kind for item in self._on_the_wire(kind, version)
            )
            known = Contract.from_signature(signature, ContractSource.DECLARED, open_kinds=self.open)
            self._contracts[version] = known
        return known

    def tool_for(self, name: str, arguments: JsonObject, version: str) -> JsonObject | None:
        """A tool as it is for a call with these arguments; None when there is no such tool."""
        tool = self.contract(version).find(Kind.TOOL, name)
        if tool is None:
            return None
        resolver = self._resolvers.get((version, name))
        if resolver is None:
            resolver = self._resolvers[version, name] = Resolver(tool.definition)
        return resolver.select(arguments)

    def _on_the_wire(self, kind: Kind, version: str) -> list[JsonObject]:
        listed = {**_REQUIRED, kind.collection: self.definitions[kind]}
        items: list[JsonObject] = serialize_server_result(kind.list_method, version, listed)[kind.collection]
        if kind is not Kind.TOOL:
            return items
        return [self._with_variants(item) for item in items]

    def _with_variants(self, tool: JsonObject) -> JsonObject:
        variants = self.variants.get(tool["name"])
        return with_variants(tool, variants) if variants else tool


def _dumped(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
