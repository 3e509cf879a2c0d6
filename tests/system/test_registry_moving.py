"""A registry that moves to another database, and one that reads what another has published."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from avow.core.keys import PrivateKey
from avow.core.severity import Severity
from avow.core.tlog.notes import Signer
from avow.core.tlog.proofs import verify_consistency
from avow.core.tlog.tree import consistency_proof, nodes_of_consistency
from avow.registry.auditing import audit
from avow.registry.exporting import export
from avow.registry.importing import Imported, import_file
from avow.registry.model import (
    Approval,
    ApprovalState,
    Checkpoint,
    ConflictError,
    Environment,
    Role,
    Token,
    Watch,
    Webhook,
)
from avow.registry.publishing import publish
from avow.registry.store.base import SqlStore
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from registry_postgres import Postgres, running_postgres
from registry_samples import (
    FILES,
    KEY,
    NAMESPACE,
    NOW,
    OTHER_KEY,
    READ,
    SIGNER,
    WRITE,
    claimed,
    envelope,
    snapshot,
)

pytestmark = pytest.mark.anyio
LATER = NOW + timedelta(days=30)
STRANGER = Signer("other.example/log", PrivateKey(b"s" * 32))
WAYS = [("sqlite", "postgresql"), ("postgresql", "sqlite")]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=WAYS, ids="-to-".join)
def places(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres) -> list[str]:
    """Where a registry is, and where it goes."""
    return [
        f"sqlite:///{tmp_path}/{place}.db" if kind == "sqlite" else postgres.address()
        for place, kind in enumerate(request.param)
    ]


@asynccontextmanager
async def opened(address: str, signer: Signer = SIGNER) -> AsyncIterator[SqlStore]:
    store = await open_store(address, signer)
    assert isinstance(store, SqlStore)
    try:
        yield store
    finally:
        await store.close()


async def decide(store: Store, state: str, by: str, minutes: int) -> None:
    found = await store.version(FILES, "1")
    assert found is not None
    at = NOW + timedelta(minutes=minutes)
    words = ("production", ApprovalState(state), by, "looked at it", at)
    await store.decide(Approval(FILES, "1", found.digest, *words))


async def fill(store: Store) -> Store:
    """A key changes hands, and people change their minds and how many of them have to agree."""
    await claimed(store)
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    for number, state in enumerate(("approved", "rejected", "approved")):
        await decide(store, state, "ann", number)
    await store.set_environment(Environment("production", 2))
    await decide(store, "approved", "ben", 5)
    mine = KEY.public.identifier
    await store.change_keys(NAMESPACE, mine, NOW, add=[OTHER_KEY.public], revoke=[mine])
    await publish(store, envelope(snapshot(READ, WRITE), "2", key=OTHER_KEY), LATER)
    await store.set_environment(Environment("production", 3))
    await store.add_watch(Watch("w1", "ann", f"{NAMESPACE}/*", Severity.MODERATE, NOW))
    await store.add_token(Token("t1", Role.PUBLISH, "ann", b"a hash of a token", NOW))
    hook = Webhook("h1", "ann", "https://hook.example/x", b"a webhook's secret", (), Severity.SAFE, NOW)
    await store.add_webhook(hook)
    return store


async def exported(store: Store, path: Path) -> Path:
    path.write_bytes(b"".join([line async for line in export(store)]))
    return path


async def imported(store: Store, path: Path, signer: Signer = SIGNER) -> Imported:
    return await import_file(store, path, LATER, own=signer.verifier(), key=SIGNER.verifier())


async def newest(store: Store) -> Checkpoint:
    found = await store.checkpoint()
    assert found is not None
    return found


async def problems(store: SqlStore, signer: Signer = SIGNER) -> list[str]:
    return [each async for each in audit(store, signer.verifier())]


async def test_with_its_key_a_registry_moves_and_its_log_goes_on(places: list[str], tmp_path: Path) -> None:
    """Whoever remembers a checkpoint of the first finds that log at the second, and later a longer one."""
    async with opened(places[0]) as first, opened(places[1]) as second:
        whole = await exported(await fill(first), tmp_path / "whole.jsonl")
        # Somebody was interrupted after the first entry, and begins again.
        await claimed(second)
        done = await imported(second, whole)
        before = await newest(first)

        assert (done.new, done.known, done.is_same_log) == (8, 1, True)
        assert (await newest(second)).root == before.root
        assert await second.environments() == (Environment("production", 3),)
        assert await second.entries(0, 99) == await first.entries(0, 99)
        assert await problems(second) == []
        again = await imported(second, whole)
        assert (again.new, again.known) == (0, 9)
        await publish(second, envelope(snapshot(WRITE), "3", key=OTHER_KEY), LATER)
        after = await newest(second)
        nodes = await second.nodes(nodes_of_consistency(before.size, after.size))
        proof = consistency_proof(before.size, after.size, nodes.__getitem__)
        verify_consistency(before.size, after.size, proof, before.root, after.root)
        assert (await imported(second, whole)).new == 0


async def test_both_ways_everything_that_is_no_secret_arrives(places: list[str], tmp_path: Path) -> None:
    async with opened(places[0]) as first, opened(places[1]) as second:
        path = await exported(await fill(first), tmp_path / "export.jsonl")
        await imported(second, path)

        assert (await newest(second)).root == (await newest(first)).root
        assert await second.approvals(FILES) == await first.approvals(FILES)
        assert [each.version for each in await second.versions(FILES)] == ["2", "1"]
        [watch] = await second.watches("ann")
        assert (watch.target, watch.level) == (f"{NAMESPACE}/*", Severity.MODERATE)
        assert await second.tokens() == ()
        assert await second.webhooks() == ()
        assert await problems(second) == []
    written = path.read_text(encoding="utf-8")
    for secret in ("a hash of a token", "a webhook's secret", "hook.example", "PRIVATE"):
        assert secret not in written


async def test_with_another_key_it_is_another_log_with_the_same_history(
    places: list[str], tmp_path: Path
) -> None:
    """Times are those of this log, and nobody else says how many people have to agree here."""
    async with opened(places[0]) as first, opened(places[1], STRANGER) as second:
        path = await exported(await fill(first), tmp_path / "export.jsonl")
        await second.set_environment(Environment("production", 7))

        done = [await imported(second, path, STRANGER) for _ in range(2)]

        assert [(each.new, each.known, each.is_same_log) for each in done] == [(9, 0, False), (0, 9, False)]
        states = [(str(each.state), each.by) for each in await second.approvals(FILES)]
        assert states == [("approved", "ann"), ("rejected", "ann"), ("approved", "ann"), ("approved", "ben")]
        assert await second.environments() == (Environment("production", 7),)
        assert (await newest(second)).root != (await newest(first)).root
        assert await problems(second, STRANGER) == []


async def test_one_key_never_signs_two_logs(places: list[str], tmp_path: Path) -> None:
    """The second has gone its own way with the same key: what the first exports does not go there."""
    async with opened(places[0]) as first, opened(places[1]) as second:
        path = await exported(await fill(first), tmp_path / "export.jsonl")
        await second.claim("io.github.other", KEY.public, "admin", NOW)

        with pytest.raises(ConflictError, match="the same key as that of the export, and another content"):
            await imported(second, path)

        assert (await newest(second)).size == 1
