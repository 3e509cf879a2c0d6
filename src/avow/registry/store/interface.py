"""What every store can be asked, and what it promises.

A method that returns has made its change durable, together with its entry in the log. Times are aware
datetimes in UTC. Cursors are opaque; a page holds at most `limit` things, newest first unless told.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from avow.core.canonical import Digest, JsonObject
from avow.core.capability import Capability, Kind
from avow.core.keys import KeyId, PublicKey
from avow.core.severity import Severity
from avow.core.tlog.notes import NoteSignature, VerifierKey
from avow.core.tlog.tree import Node
from avow.registry.model import (
    Approval,
    ApprovalState,
    CapabilityHit,
    Change,
    Checkpoint,
    Environment,
    Facets,
    Holder,
    Namespace,
    Page,
    PublishedVersion,
    Receipt,
    Search,
    Server,
    ServerName,
    Token,
    Watch,
    Webhook,
)
from avow.registry.store.contents import Basis, Contents
from avow.registry.store.prepared import Prepared
from avow.registry.store.standing import Decided, Usable

PAGE = 50
"""How many things a page holds when nobody says."""


class Reads(Protocol):
    """Questions about what has been published. Nothing here waits for a writer."""

    async def server(self, name: ServerName) -> Server | None:
        """One server."""

    async def servers(
        self, text: str = "", *, namespace: str | None = None, cursor: str | None = None, limit: int = PAGE
    ) -> Page[Server]:
        """Servers, the one that changed last first; with `text`, those whose words all occur."""

    async def servers_named(self, part: str, *, cursor: str | None = None, limit: int = PAGE) -> Page[Server]:
        """Servers with this in their names, in any case, the one that changed last first.

        Of very many servers a part is looked at; the cursor then leads to the rest.
        """

    async def version(self, name: ServerName, version: str | None = None) -> PublishedVersion | None:
        """One version; the newest when none is named."""

    async def versions(
        self, name: ServerName, *, cursor: str | None = None, limit: int = PAGE
    ) -> Page[PublishedVersion]:
        """The history of a server."""

    async def drifts(self, name: ServerName, versions: Sequence[str]) -> Mapping[str, tuple[JsonObject, ...]]:
        """The drift of each of these versions to its predecessor, as documents (DESIGN 2)."""

    async def drifts_of(self, versions: Sequence[int]) -> Mapping[int, tuple[JsonObject, ...]]:
        """The same for versions of any servers, by their `id`."""

    async def payload(self, name: ServerName, version: str) -> bytes | None:
        """The very bytes that were signed: a publication with its snapshot."""

    async def contents(self, name: ServerName, version: str) -> Contents | None:
        """The same, with what the store has of the capabilities in it: how they were rated here."""

    async def envelope(self, name: ServerName, version: str) -> bytes | None:
        """The DSSE envelope as JSON."""

    async def basis(self, name: ServerName) -> Basis:
        """What the next publication of a server builds on."""

    async def changes(
        self, *, after: int = 0, limit: int = PAGE, targets: Sequence[str] = (), level: Severity | None = None
    ) -> tuple[Change, ...]:
        """Publications after a position, oldest first: in these targets, with drift at or above a level.

        First versions have no drift and are left out when a level is given.
        """

    async def recent(
        self,
        *,
        level: Severity | None = None,
        cursor: str | None = None,
        limit: int = PAGE,
        target: str | None = None,
    ) -> Page[Change]:
        """The newest publications of all servers, of one, or in `namespace/*`."""

    async def search(
        self, search: Search, *, cursor: str | None = None, limit: int = PAGE
    ) -> Page[CapabilityHit]:
        """Capabilities that some server offers in its newest version."""

    async def facets(self, search: Search) -> Facets:
        """How the hits are distributed; counting ends at a few thousand."""

    async def capability(self, digest: Digest) -> tuple[CapabilityHit, bytes] | None:
        """A capability with the canonical bytes of its definition."""

    async def digests(self, beginning: str, *, limit: int = PAGE) -> tuple[Digest, ...]:
        """The first digests of signatures and capabilities that begin with these hexadecimal digits."""

    async def holders(self, digest: Digest, *, cursor: str | None = None, limit: int = PAGE) -> Page[Holder]:
        """Who has published exactly this signature or capability; who was first here comes first."""

    async def candidates(
        self, wanted: Sequence[tuple[Kind, str]], *, cursor: str | None = None, limit: int = PAGE
    ) -> Page[PublishedVersion]:
        """Newest versions of servers that have something of each of these kinds and names.

        The one that changed last first. A page may be short, or even empty, and still not be the last.
        """

    async def offered(
        self, versions: Sequence[int], wanted: Sequence[Capability]
    ) -> Mapping[int, Mapping[tuple[Kind, Digest], bytes]]:
        """What the servers of versions, by their `id`, have today of the kinds and names of these, as stored.

        What is the very thing that is wanted comes without its definition.
        """

    async def totals(self) -> Mapping[str, int]:
        """How much there is: servers, versions, capabilities, namespaces, entries."""


class Log(Protocol):
    """The log: entries, hashes of complete subtrees, signed checkpoints."""

    async def log_key(self) -> VerifierKey:
        """The key that checkpoints are signed with, whether the private one is here or not.

        Raises:
            StorageError: it is damaged.
        """

    async def checkpoint(self, size: int | None = None) -> Checkpoint | None:
        """The checkpoint of this size, or the newest; None where there is none."""

    async def entries(self, first: int, last: int) -> list[bytes]:
        """The entries from `first` to `last`, exclusive; fewer at the end of the log."""

    async def nodes(self, wanted: Iterable[Node]) -> Mapping[Node, bytes]:
        """Stored hashes; what is not stored yet is left out."""

    async def cosign(self, text: str, signatures: Sequence[NoteSignature]) -> Checkpoint:
        """Keep signatures of witnesses, which somebody has verified, below the checkpoint with this text.

        Raises:
            ConflictError: this log has no such checkpoint.
        """

    async def cosigned(self, witness: str | None = None) -> Checkpoint | None:
        """The newest checkpoint that a witness (`NoteSignature.author`), or any, signed; None without one."""


class Writes(Protocol):
    """Changes that the log records; each returns when it is durable and in a signed checkpoint."""

    async def publish(self, prepared: Prepared) -> Receipt:
        """Add a version, or find that exactly it is there already.

        Raises:
            ConflictError: this version is there with another content.
            StaleError: another version came in between; prepare again.
            StorageError: it could not be made durable.
        """

    async def claim(self, namespace: str, key: PublicKey, by: str, at: datetime) -> Namespace:
        """Give a namespace that nobody has to a key.

        Raises:
            ConflictError: somebody has it.
        """

    async def change_keys(
        self,
        namespace: str,
        by: str,
        at: datetime,
        *,
        add: Sequence[PublicKey] = (),
        revoke: Sequence[KeyId] = (),
    ) -> Namespace:
        """Add and revoke keys of a namespace at once; `by` says on whose word.

        Raises:
            NotFoundError: there is no such namespace or key.
            ConflictError: a key has been revoked before, or no key would be left.
        """

    async def decide(self, approval: Approval) -> Approval:
        """Record a person's decision; the answer has its place in the log.

        Raises:
            NotFoundError: there is no such version.
            ConflictError: the version has another digest than the one decided about.
        """

    async def decide_once(self, approval: Approval) -> Approval | None:
        """The same, but nothing is recorded, and None answered, where it would say nothing new.

        That is the newest word of its person once more, however many say it at once, unless another number
        of people has to agree by now; and what takes back nothing.
        """


class Keeping(Protocol):
    """What is kept beside the log: namespaces by key, decisions, tokens, wishes to be told."""

    async def namespace(self, name: str) -> Namespace | None:
        """One namespace with its keys."""

    async def namespaces(self, *, cursor: str | None = None, limit: int = PAGE) -> Page[Namespace]:
        """All namespaces, by name."""

    async def approvals(
        self, name: ServerName, version: str | None = None, *, environment: str | None = None
    ) -> tuple[Approval, ...]:
        """Every decision about a server or one of its versions, oldest first."""

    async def undecided(
        self, environment: str, *, cursor: str | None = None, limit: int = PAGE, begun: bool | None = None
    ) -> Page[PublishedVersion]:
        """What is to be decided in this environment, the newest first.

        Newest versions of servers about which nobody has decided, and any version about which somebody has,
        while it is neither approved nor rejected. `begun` asks for one of the two kinds.
        """

    async def usable(
        self,
        environment: str,
        *,
        cursor: str | None = None,
        limit: int = PAGE,
        state: ApprovalState = ApprovalState.APPROVED,
    ) -> Page[Usable]:
        """Versions that are approved in this environment, newest first: what may be used there today.

        With another `state`, those that are rejected there today.
        """

    async def decided(self, versions: Sequence[int]) -> Mapping[int, tuple[Decided, ...]]:
        """How versions stand, by their `id`; those that nobody has decided about are left out."""

    async def approved(self, name: ServerName) -> Mapping[str, tuple[str, ...]]:
        """The newest few versions of a server that are approved today, newest first, by environment."""

    async def environments(self) -> tuple[Environment, ...]:
        """All environments that were set up or decided about, by name."""

    async def set_environment(self, environment: Environment) -> None:
        """Set up an environment, or say how many people have to agree."""

    async def add_token(self, token: Token) -> None:
        """Remember a token."""

    async def add_first_token(self, token: Token) -> bool:
        """Remember a token where there is none at all; false where there is, whoever else tries at once."""

    async def token(self, identifier: str) -> Token | None:
        """The token with this public identifier, revoked or not."""

    async def tokens(self) -> tuple[Token, ...]:
        """All tokens, oldest first."""

    async def revoke_token(self, identifier: str, at: datetime) -> bool:
        """End a token; false when there is none."""

    async def add_watch(self, watch: Watch) -> None:
        """Remember a wish."""

    async def watches(self, person: str | None = None) -> tuple[Watch, ...]:
        """The wishes of one person, or of everybody, oldest first."""

    async def remove_watch(self, identifier: str) -> bool:
        """Forget a wish; false when there is none."""

    async def add_webhook(self, webhook: Webhook) -> None:
        """Remember a webhook; it is told of what comes after its position."""

    async def webhooks(self, person: str | None = None) -> tuple[Webhook, ...]:
        """Webhooks, oldest first."""

    async def lease_webhooks(self, now: datetime, until: datetime, limit: int = 16) -> tuple[Webhook, ...]:
        """Webhooks with something to be told whose time has come; nobody else gets them until then."""

    async def settle_webhook(
        self,
        identifier: str,
        *,
        position: int,
        attempts: int,
        next_attempt_at: datetime | None,
        error: str = "",
    ) -> None:
        """Say how telling went, and end the lease."""

    async def remove_webhook(self, identifier: str) -> bool:
        """Forget a webhook; false when there is none."""


class Store(Reads, Log, Writes, Keeping, Protocol):
    """Everything a registry keeps."""

    async def check(self) -> None:
        """Whether the store can be read and written.

        Raises:
            UnavailableError: it cannot; the message says why.
        """

    async def close(self) -> None:
        """Finish what was begun and let go."""
