"""The store, as far as both databases agree: every question and every change, by name."""

# ruff: noqa: D102  the interface says what each method promises

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar

from avow.core.canonical import Digest, JsonObject, canonical
from avow.core.capability import Capability, Kind
from avow.core.keys import KeyId, PublicKey
from avow.core.severity import Severity
from avow.core.tlog.notes import NoteSignature, Signer, VerifierKey
from avow.core.tlog.tree import Node
from avow.registry import model
from avow.registry.store import contents, keeping, log, reading, seals, searching, standing, telling
from avow.registry.store.contents import Basis, Contents
from avow.registry.store.database import Database
from avow.registry.store.group import Group
from avow.registry.store.interface import PAGE
from avow.registry.store.packing import read_stored
from avow.registry.store.prepared import Prepared
from avow.registry.store.sequencer import Append, missing_key
from avow.registry.store.standing import Decided, Usable

P = ParamSpec("P")
T = TypeVar("T")


class SqlStore(ABC):
    """A store over a database that speaks SQL; see `interface` for what each method promises."""

    _group: Group
    _signer: Signer | None

    @abstractmethod
    async def _ask(
        self,
        question: Callable[Concatenate[Database, P], Coroutine[Any, Any, T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Ask a question of one consistent state."""

    @abstractmethod
    async def check(self) -> None: ...

    @abstractmethod
    async def close(self) -> None: ...

    async def _change(
        self,
        change: Callable[Concatenate[Database, Append, P], Coroutine[Any, Any, T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Make a change, together with whatever else arrives."""
        answer: T = await self._group.submit(
            lambda database, append: change(database, append, *args, **kwargs)
        )
        return answer

    async def server(self, name: model.ServerName) -> model.Server | None:
        return await self._ask(reading.server, name)

    async def servers(
        self, text: str = "", *, namespace: str | None = None, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.Server]:
        return await self._ask(reading.servers, text, namespace, cursor, limit)

    async def servers_named(
        self, part: str, *, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.Server]:
        return await self._ask(reading.servers_named, part, cursor, limit)

    async def version(
        self, name: model.ServerName, version: str | None = None
    ) -> model.PublishedVersion | None:
        return await self._ask(reading.version, name, version)

    async def versions(
        self, name: model.ServerName, *, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.PublishedVersion]:
        return await self._ask(reading.versions, name, cursor, limit)

    async def drifts(
        self, name: model.ServerName, versions: Sequence[str]
    ) -> Mapping[str, tuple[JsonObject, ...]]:
        return await self._ask(reading.drifts, name, versions)

    async def drifts_of(self, versions: Sequence[int]) -> Mapping[int, tuple[JsonObject, ...]]:
        return await self._ask(contents.drifts_of, versions)

    async def payload(self, name: model.ServerName, version: str) -> bytes | None:
        return await self._ask(contents.payload, name, version)

    async def contents(self, name: model.ServerName, version: str) -> Contents | None:
        return await self._ask(contents.contents, name, version)

    async def envelope(self, name: model.ServerName, version: str) -> bytes | None:
        return await self._ask(contents.envelope, name, version)

    async def basis(self, name: model.ServerName) -> Basis:
        return await self._ask(contents.basis, name)

    async def changes(
        self, *, after: int = 0, limit: int = PAGE, targets: Sequence[str] = (), level: Severity | None = None
    ) -> tuple[model.Change, ...]:
        return await self._ask(reading.changes, after, limit, targets, level)

    async def recent(
        self,
        *,
        level: Severity | None = None,
        cursor: str | None = None,
        limit: int = PAGE,
        target: str | None = None,
    ) -> model.Page[model.Change]:
        return await self._ask(reading.recent, level, cursor, limit, target)

    async def search(
        self, search: model.Search, *, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.CapabilityHit]:
        return await self._ask(searching.search, search, cursor, limit)

    async def facets(self, search: model.Search) -> model.Facets:
        return await self._ask(searching.facets, search)

    async def capability(self, digest: Digest) -> tuple[model.CapabilityHit, bytes] | None:
        found = await self._ask(searching.capability, digest)
        if found is None:
            return None
        hit, definition = found
        return hit, canonical(read_stored(hit.kind, digest, definition).definition)

    async def digests(self, beginning: str, *, limit: int = PAGE) -> tuple[Digest, ...]:
        return await self._ask(searching.digests, beginning, limit)

    async def holders(
        self, digest: Digest, *, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.Holder]:
        return await self._ask(searching.holders, digest, cursor, limit)

    async def candidates(
        self, wanted: Sequence[tuple[Kind, str]], *, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.PublishedVersion]:
        return await self._ask(searching.candidates, wanted, cursor, limit)

    async def offered(
        self, versions: Sequence[int], wanted: Sequence[Capability]
    ) -> Mapping[int, Mapping[tuple[Kind, Digest], bytes]]:
        return await self._ask(contents.offered, versions, wanted)

    async def dump(
        self,
        part: Callable[Concatenate[Database, P], Coroutine[Any, Any, T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """A part of all that is stored; see `dumping`."""
        return await self._ask(part, *args, **kwargs)

    async def broken_seals(self, table: str) -> list[str]:
        """Rows beside the log that were changed by somebody without its key.

        Raises:
            StorageError: the key is not here.
        """
        if self._signer is None:
            raise missing_key()
        return await self._ask(seals.broken, seals.sealing_key(self._signer), table)

    async def totals(self) -> Mapping[str, int]:
        return await self._ask(reading.totals)

    async def log_key(self) -> VerifierKey:
        return await self._ask(log.key)

    async def checkpoint(self, size: int | None = None) -> model.Checkpoint | None:
        return await self._ask(log.checkpoint, size)

    async def entries(self, first: int, last: int) -> list[bytes]:
        return await self._ask(log.entries, first, last)

    async def nodes(self, wanted: Iterable[Node]) -> Mapping[Node, bytes]:
        return await self._ask(log.nodes, wanted)

    async def cosign(self, text: str, signatures: Sequence[NoteSignature]) -> model.Checkpoint:
        return await self._change(log.cosign, text, signatures)

    async def cosigned(self, witness: str | None = None) -> model.Checkpoint | None:
        return await self._ask(log.cosigned, witness)

    async def publish(self, prepared: Prepared) -> model.Receipt:
        receipt: model.Receipt = await self._group.submit(prepared)
        return receipt

    async def claim(self, namespace: str, key: PublicKey, by: str, at: datetime) -> model.Namespace:
        return await self._change(keeping.claim, namespace, key, by, at)

    async def change_keys(
        self,
        namespace: str,
        by: str,
        at: datetime,
        *,
        add: Sequence[PublicKey] = (),
        revoke: Sequence[KeyId] = (),
    ) -> model.Namespace:
        return await self._change(keeping.change_keys, namespace, by, at, add, revoke)

    async def decide(self, approval: model.Approval) -> model.Approval:
        return await self._change(keeping.decide, approval)

    async def decide_once(self, approval: model.Approval) -> model.Approval | None:
        return await self._change(keeping.decide_once, approval)

    async def namespace(self, name: str) -> model.Namespace | None:
        return await self._ask(keeping.namespace, name)

    async def namespaces(
        self, *, cursor: str | None = None, limit: int = PAGE
    ) -> model.Page[model.Namespace]:
        return await self._ask(keeping.namespaces, cursor, limit)

    async def approvals(
        self, name: model.ServerName, version: str | None = None, *, environment: str | None = None
    ) -> tuple[model.Approval, ...]:
        return await self._ask(keeping.approvals, name, version, environment)

    async def undecided(
        self, environment: str, *, cursor: str | None = None, limit: int = PAGE, begun: bool | None = None
    ) -> model.Page[model.PublishedVersion]:
        return await self._ask(keeping.undecided, environment, cursor, limit, begun)

    async def usable(
        self,
        environment: str,
        *,
        cursor: str | None = None,
        limit: int = PAGE,
        state: model.ApprovalState = model.ApprovalState.APPROVED,
    ) -> model.Page[Usable]:
        return await self._ask(standing.usable, environment, cursor, limit, state)

    async def decided(self, versions: Sequence[int]) -> Mapping[int, tuple[Decided, ...]]:
        return await self._ask(standing.decided, versions)

    async def approved(self, name: model.ServerName) -> Mapping[str, tuple[str, ...]]:
        return await self._ask(standing.approved, name)

    async def environments(self) -> tuple[model.Environment, ...]:
        return await self._ask(keeping.environments)

    async def set_environment(self, environment: model.Environment) -> None:
        await self._change(keeping.set_environment, environment)

    async def add_token(self, token: model.Token) -> None:
        await self._change(telling.add_token, token)

    async def add_first_token(self, token: model.Token) -> bool:
        return await self._change(telling.add_first_token, token)

    async def token(self, identifier: str) -> model.Token | None:
        return await self._ask(telling.find_token, identifier)

    async def tokens(self) -> tuple[model.Token, ...]:
        return await self._ask(telling.tokens)

    async def revoke_token(self, identifier: str, at: datetime) -> bool:
        return await self._change(telling.revoke_token, identifier, at)

    async def add_watch(self, watch: model.Watch) -> None:
        await self._change(telling.add_watch, watch)

    async def watches(self, person: str | None = None) -> tuple[model.Watch, ...]:
        return await self._ask(telling.watches, person)

    async def remove_watch(self, identifier: str) -> bool:
        return await self._change(telling.remove_watch, identifier)

    async def add_webhook(self, webhook: model.Webhook) -> None:
        await self._change(telling.add_webhook, webhook)

    async def webhooks(self, person: str | None = None) -> tuple[model.Webhook, ...]:
        return await self._ask(telling.webhooks, person)

    async def lease_webhooks(
        self, now: datetime, until: datetime, limit: int = 16
    ) -> tuple[model.Webhook, ...]:
        return await self._change(telling.lease_webhooks, now, until, limit)

    async def settle_webhook(
        self,
        identifier: str,
        *,
        position: int,
        attempts: int,
        next_attempt_at: datetime | None,
        error: str = "",
    ) -> None:
        await self._change(telling.settle_webhook, identifier, position, attempts, next_attempt_at, error)

    async def remove_webhook(self, identifier: str) -> bool:
        return await self._change(telling.remove_webhook, identifier)
