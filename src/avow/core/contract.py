"""What a session is held to: the approved capabilities, and how to tell that one has changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from avow.core.canonical import Digest, JsonObject, digest
from avow.core.capability import Capability, Kind, Signature
from avow.core.snapshot import Era, Snapshot, Volatile
from avow.core.volatile import mask

_VARIANTS: Final = "resolvedVariants"


class ContractSource(StrEnum):
    """Where a contract comes from: a person's approval, the server's declaration, or its first lists."""

    LOCK = "lock"
    DECLARED = "declared"
    FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class ApprovedServer:
    """What a person approved beside the capabilities: who the server is and how it presents itself.

    `info` is everything that it said about itself beside its name, as it came.
    """

    name: str
    instructions: str | None
    capabilities: JsonObject
    protocol_version: str
    era: Era
    info: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class Contract:
    """The approved capabilities by kind and name.

    A kind in `open` could not be enumerated: what is approved of it is held, the rest is let through.
    `server` is `None` where nobody approved more than the capabilities.
    """

    signature: Signature
    source: ContractSource
    open: frozenset[Kind] = frozenset()
    volatile: tuple[Volatile, ...] = ()
    server: ApprovedServer | None = None
    _accepted: dict[tuple[Kind, str], frozenset[Digest]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def from_signature(
        cls, signature: Signature, source: ContractSource, *, open_kinds: Iterable[Kind] = ()
    ) -> "Contract":
        """A contract over capabilities alone."""
        return cls(signature, source, frozenset(open_kinds))

    @classmethod
    def from_entry(cls, snapshot: Snapshot) -> "Contract":
        """The contract that a lock entry stands for.

        Kinds that the server named as impossible to enumerate stay open; they are the member `incomplete`
        of the entry.
        """
        named = snapshot.extra.get("incomplete", ())
        open_kinds = frozenset(kind for kind in Kind if kind.collection in named)
        server = ApprovedServer(
            snapshot.name,
            snapshot.instructions,
            snapshot.capabilities,
            snapshot.protocol_version,
            snapshot.era,
            snapshot.server,
        )
        return cls(snapshot.signature, ContractSource.LOCK, open_kinds, snapshot.volatile, server)

    @cached_property
    def digest(self) -> Digest:
        """The digest of everything approved."""
        return self.signature.digest

    def find(self, kind: Kind, name: str) -> Capability | None:
        """The approved capability of that kind and name."""
        return self._by_kind[kind].get(name)

    def of_kind(self, kind: Kind) -> Mapping[str, Capability]:
        """Everything approved of one kind."""
        return self.signature.of_kind(kind)

    def is_open(self, kind: Kind) -> bool:
        """Whether capabilities of this kind may appear that nobody listed."""
        return kind in self.open

    def accepts(self, observed: Capability) -> bool:
        """Whether what a server shows now is what was approved under that name.

        Values that the entry lists as volatile may differ. A list may leave out a tool's
        `resolvedVariants`, which belong to the signature.
        """
        accepted = self._digests(observed.kind, observed.name)
        return mask(observed, self.volatile).digest in accepted

    @cached_property
    def _by_kind(self) -> dict[Kind, Mapping[str, Capability]]:
        return {kind: self.signature.of_kind(kind) for kind in Kind}

    def _digests(self, kind: Kind, name: str) -> frozenset[Digest]:
        known = self._accepted.get((kind, name))
        if known is None:
            approved = self.find(kind, name)
            known = frozenset() if approved is None else _acceptable(approved)
            if approved is not None:
                self._accepted[kind, name] = known
        return known


def _acceptable(approved: Capability) -> frozenset[Digest]:
    if _VARIANTS not in approved.definition:
        return frozenset({approved.digest})
    bare = {member: value for member, value in approved.definition.items() if member != _VARIANTS}
    return frozenset({approved.digest, digest(bare)})
