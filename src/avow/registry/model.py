"""The facts that a registry keeps, as values; where they are kept is the store's business."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from avow.core.canonical import Digest
from avow.core.capability import Kind
from avow.core.keys import KeyId, PublicKey
from avow.core.publication import ServerName
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.core.tlog.decisions import Decision
from avow.errors import MalformedInputError, UsageError

__all__ = [
    "Approval",
    "ApprovalState",
    "CapabilityHit",
    "Change",
    "Checkpoint",
    "ConflictError",
    "Counts",
    "Environment",
    "Facets",
    "Holder",
    "Namespace",
    "NamespaceKey",
    "Needs",
    "NotFoundError",
    "Offer",
    "Page",
    "Proof",
    "PublishedVersion",
    "Receipt",
    "Role",
    "Search",
    "Server",
    "ServerName",
    "Token",
    "Watch",
    "Webhook",
]

T = TypeVar("T")


class NotFoundError(UsageError):
    """There is no such server, version, namespace, token or entry here."""


class ConflictError(MalformedInputError):
    """What was sent contradicts what is there already, for good."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of many things, and where the rest begins; None at the end."""

    items: tuple[T, ...]
    next: str | None = None

    def __iter__(self) -> Iterator[T]:
        """The things on this page."""
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many capabilities of each kind, and of each risk level."""

    tools: int = 0
    prompts: int = 0
    resources: int = 0
    templates: int = 0
    low: int = 0
    medium: int = 0
    high: int = 0

    @property
    def capabilities(self) -> int:
        """All of them."""
        return self.tools + self.prompts + self.resources + self.templates


@dataclass(frozen=True, slots=True)
class Needs:
    """What a server has to be told before it works, counted; `declared` is false when it says nothing."""

    declared: bool = False
    parameters: int = 0
    required: int = 0
    secrets: int = 0
    required_secrets: int = 0


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """One version of a server as the registry has it.

    `id` grows with every publication in the whole registry, `sequence` with every one of this server.
    `digest` is the signature's, `content` that of all that was signed. `highest` and `drift` (how many by
    severity) compare with the version before; a first version has neither.
    """

    id: int
    name: ServerName
    version: str
    sequence: int
    digest: Digest
    content: Digest
    published_at: datetime
    log_index: int
    key: KeyId
    counts: Counts
    needs: Needs
    predecessor: str | None = None
    highest: Severity | None = None
    drift: Mapping[Severity, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Server:
    """A server: its newest version, how many there are, and when the first was published."""

    name: ServerName
    latest: PublishedVersion
    versions: int
    first_published_at: datetime
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A version in the stream of all changes; `id` of the version is the position in the stream."""

    version: PublishedVersion
    is_first: bool


@dataclass(frozen=True, slots=True)
class Search:
    """What capabilities are asked for; everything that is given has to hold.

    `tool` is the exact name of a capability, `text` are words that all occur, `argument` is the name of an
    argument and `argument_type` one of its JSON types, `annotation` a pair such as ("readOnlyHint", "true").
    `needs_no_secret` keeps what a server without required secrets offers.
    """

    tool: str | None = None
    text: str | None = None
    argument: str | None = None
    argument_type: str | None = None
    annotation: tuple[str, str] | None = None
    risk: Level | None = None
    kind: Kind | None = None
    needs_no_secret: bool = False
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A server that offers a capability today, in its newest version."""

    name: ServerName
    version: str


@dataclass(frozen=True, slots=True)
class CapabilityHit:
    """A capability that was found, with the first few servers that offer it and how many do."""

    id: int
    digest: Digest
    kind: Kind
    name: str
    title: str
    description: str
    risk: Level
    reasons: tuple[str, ...]
    offers: tuple[Offer, ...]
    servers: int


@dataclass(frozen=True, slots=True)
class Facets:
    """How many hits there are by kind, risk, and both; `is_exact` is false where counting stopped early."""

    kinds: Mapping[Kind, int]
    risks: Mapping[Level, int]
    is_exact: bool = True
    pairs: Mapping[tuple[Kind, Level], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has published exactly this digest: a server, the first and the last version with it, and how many.

    `kind` and `capability` are None when the digest is that of a whole signature.
    """

    name: ServerName
    first: str
    last: str
    versions: int
    is_current: bool
    kind: Kind | None = None
    capability: str | None = None


@dataclass(frozen=True, slots=True)
class NamespaceKey:
    """A key of a namespace; revoked ones are remembered, and sign nothing any more."""

    key: PublicKey
    added_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace and the keys it belongs to, oldest first."""

    name: str
    claimed_at: datetime
    keys: tuple[NamespaceKey, ...]

    @property
    def active(self) -> tuple[PublicKey, ...]:
        """The keys that may publish today."""
        return tuple(each.key for each in self.keys if each.revoked_at is None)


class Role(StrEnum):
    """What a token is good for; each role includes those before it, but `approve` does not publish."""

    READ = "read"
    PUBLISH = "publish"
    APPROVE = "approve"
    ADMINISTER = "administer"


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token: its public identifier, who has it, what for, and the hash of its secret half."""

    id: str
    role: Role
    person: str
    hashed: bytes = field(repr=False)
    created_at: datetime
    revoked_at: datetime | None = None


class ApprovalState(StrEnum):
    """What people have decided about a version in an environment."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Approval:
    """One person's decision about one version in one environment; the newest of each person counts.

    `needed` is how many people had to agree when it was recorded, which nobody chooses who decides.
    """

    name: ServerName
    version: str
    digest: Digest
    environment: str
    state: ApprovalState
    by: str
    reason: str
    at: datetime
    log_index: int = -1
    needed: int = 1

    @property
    def decision(self) -> Decision:
        """What counts of it."""
        return Decision(self.by, self.state, self.needed)


@dataclass(frozen=True, slots=True)
class Environment:
    """Where versions are approved for, and how many people have to agree."""

    name: str
    needed: int = 1


@dataclass(frozen=True, slots=True)
class Watch:
    """Somebody's wish to hear of drift: in one server, or in a whole namespace (`io.github.owner/*`)."""

    id: str
    person: str
    target: str
    level: Severity
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told of changes at or above a level.

    `position` is the id of the last version it has been told of or has been spared: what comes after is
    still to be told, however often the service was stopped in between. `targets` as in watches; empty: all.
    """

    id: str
    person: str
    url: str
    secret: bytes = field(repr=False)
    targets: tuple[str, ...]
    level: Severity
    created_at: datetime
    position: int = 0
    attempts: int = 0
    next_attempt_at: datetime | None = None
    last_error: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed note about the log at one size; `note` holds the text with all signatures."""

    size: int
    root: bytes
    note: bytes


@dataclass(frozen=True, slots=True)
class Proof:
    """What shows that an entry is in the log of the checkpoint beside it."""

    index: int
    size: int
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a publication: it is durable, and here is the proof.

    `is_new` is false when exactly this had been published before.
    """

    version: PublishedVersion
    entry: bytes
    proof: Proof
    checkpoint: Checkpoint
    is_new: bool
