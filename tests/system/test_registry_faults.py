"""Processes are killed, disks are full, clocks wrong: what was acknowledged is there, once, and logged."""

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from avow.core.canonical import canonical, digest, digest_of
from avow.core.publication import ServerName
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.entry import PublicationEntry, loads
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import Signer
from avow.core.tlog.tree import Node, new_nodes, root
from avow.errors import StorageError, UsageError
from avow.registry.model import Search
from avow.registry.publishing import publish
from avow.registry.store import postgres as postgres_module
from avow.registry.store import sqlite as sqlite_module
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
    tool,
)
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
PUBLISHER = Path(__file__).parent / "registry_publisher.py"
SERVERS, VERSIONS = 40, 5


class Publisher:
    """A process that publishes, and what it has said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.acknowledged: dict[tuple[str, str], tuple[int, str]] = {}
        self.refused: list[str] = []

    async def listen(self, until: int = 10_000) -> None:
        """Until so many were acknowledged, or it has ended."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            word, *rest = line.decode().split()
            if word == "acknowledged":
                name, version, index, content = rest
                self.acknowledged[name, version] = (int(index), content)
            elif word == "refused":
                self.refused.append(line.decode())
            if len(self.acknowledged) >= until:
                return


@asynccontextmanager
async def publishing(
    address: str, word: str = "s", servers: int = SERVERS, *more: str
) -> AsyncIterator[Publisher]:
    arguments = [sys.executable, str(PUBLISHER), address, word, str(servers), str(VERSIONS), *more]
    process = await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(60):
            yield Publisher(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Store]:
    store = await open_store(address, SIGNER)
    try:
        yield store
    finally:
        await store.close()


def _nothing(node: Node) -> bytes:
    raise KeyError(node)


async def assert_consistent(store: Store) -> dict[tuple[str, str], tuple[int, str]]:
    """Log and tables say the same, and the log is the tree that its checkpoint signs; the publications."""
    entries = await store.entries(0, 100_000)
    hashes = dict(new_nodes(0, [leaf_hash(entry) for entry in entries], _nothing))
    checkpoint = await store.checkpoint()
    assert checkpoint is not None
    signed = open_checkpoint(checkpoint.note, SIGNER.verifier()).checkpoint
    assert (signed.size, signed.root) == (len(entries), root(len(entries), hashes.__getitem__))
    assert await store.nodes(hashes) == hashes
    logged: dict[tuple[str, str], tuple[int, str]] = {}
    for index, data in enumerate(entries):
        entry = loads(data)
        if isinstance(entry, PublicationEntry):
            assert (entry.name, entry.version) not in logged
            logged[entry.name, entry.version] = (index, entry.content)
    changes = await store.changes(limit=100_000)
    assert {
        (str(each.version.name), each.version.version): (each.version.log_index, each.version.content)
        for each in changes
    } == logged
    assert [each.version.id for each in changes] == list(range(1, len(changes) + 1))
    return logged


async def test_a_killed_service_has_lost_nothing_that_it_acknowledged(address: str) -> None:
    """kill -9 in the middle of 200 publications; the next process goes on where the log is."""
    async with opened(address) as store:
        await claimed(store)
    async with publishing(address) as first:
        await first.listen(until=60)
        first.process.kill()
        await first.listen()
    assert 60 <= len(first.acknowledged) < SERVERS * VERSIONS

    async with opened(address) as store:
        there = await assert_consistent(store)
        assert first.acknowledged.items() <= there.items()
    async with publishing(address) as second:
        await second.listen()
    assert second.refused == []
    async with opened(address) as store:
        there = await assert_consistent(store)
        assert len(there) == SERVERS * VERSIONS
        assert {**second.acknowledged, **first.acknowledged}.items() <= there.items()


async def test_two_processes_never_fork_the_log(address: str) -> None:
    """Both publish versions of the same servers at once: one log, every version once, each compared."""
    async with opened(address) as store:
        await claimed(store)
    async with publishing(address, "s", 12) as one, publishing(address, "s", 12) as other:
        await asyncio.gather(one.listen(), other.listen())
    assert one.refused == other.refused == []
    async with opened(address) as store:
        there = await assert_consistent(store)
        assert len(there) == 12 * VERSIONS
        assert one.acknowledged == other.acknowledged
        history = (await store.versions(ServerName(NAMESPACE, "s-0"))).items
        assert [each.sequence for each in history] == [5, 4, 3, 2, 1]
        assert [each.predecessor for each in history] == [*(each.version for each in history[1:]), None]


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """A server that may be killed."""
    with running_postgres() as server:
        yield server


def test_a_killed_postgres_has_lost_nothing_that_was_acknowledged(own_postgres: Postgres) -> None:
    """kill -9 of the whole server: publications fail with a clear word, and it is as if they never were."""
    address = own_postgres.address()

    async def until_killed() -> Publisher:
        async with opened(address) as store:
            await claimed(store)
        async with publishing(address) as publisher:
            await publisher.listen(until=40)
            await asyncio.to_thread(own_postgres.kill)
            await publisher.listen()
        return publisher

    first = asyncio.run(until_killed())
    assert first.refused
    assert all("cannot use PostgreSQL" in line for line in first.refused)
    own_postgres.start()

    async def afterwards() -> None:
        async with opened(address) as store:
            assert first.acknowledged.items() <= (await assert_consistent(store)).items()
        async with publishing(address) as second:
            await second.listen()
        assert second.refused == []
        async with opened(address) as store:
            assert len(await assert_consistent(store)) == SERVERS * VERSIONS

    asyncio.run(afterwards())


def test_a_store_finds_its_way_back_when_postgres_was_restarted(own_postgres: Postgres) -> None:
    """The service goes on without being restarted itself."""
    address = own_postgres.address()

    async def story() -> None:
        async with opened(address) as store:
            await publish(await claimed(store), envelope(snapshot(READ), "1"), NOW)
            await asyncio.to_thread(own_postgres.kill)
            with pytest.raises(StorageError, match="cannot use PostgreSQL"):
                await publish(store, envelope(snapshot(READ), "2"), NOW)
            with pytest.raises(StorageError):
                await store.check()
            await asyncio.to_thread(own_postgres.start)
            await store.check()
            await publish(store, envelope(snapshot(READ), "2"), NOW)
            assert len(await assert_consistent(store)) == 2

    asyncio.run(story())


async def test_a_full_disk_is_said_and_nothing_half_written_stays(tmp_path: Path) -> None:
    """Files may not grow any more: what was acknowledged is durable, the rest was refused with a hint."""
    address = f"sqlite:///{tmp_path}/registry.db"
    async with opened(address) as store:
        await claimed(store)
    async with publishing(address, "s", 20, str(600_000)) as publisher:
        await publisher.listen()
    assert publisher.refused
    assert [line for line in publisher.refused if "the disk is full or fails" not in line] == []

    async with opened(address) as store:
        there = await assert_consistent(store)
        assert publisher.acknowledged.items() <= there.items()
        await publish(store, envelope(snapshot(WRITE), "9"), max(NOW, await last_time(store)))
        await assert_consistent(store)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of its own, where we may make one."""
    directory = Path(tempfile.mkdtemp(prefix="avow-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=128m,mode=755", "tmpfs", str(directory)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("no disk can be mounted here")
    try:
        yield directory
    finally:
        subprocess.run(["umount", directory], check=True)
        directory.rmdir()


def fill(ballast: Path) -> None:
    """Write until there is no room."""
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(65_536)):
            pass


def test_a_full_disk_of_postgres_is_said_and_nothing_half_written_stays(small_disk: Path) -> None:
    """The server cannot write any more: publications are refused until there is room again."""
    ballast = small_disk / "ballast"
    words = [random.Random(number).randbytes(100_000).hex() for number in range(60)]
    acknowledged: set[str] = set()

    async def until_full(address: str) -> None:
        async with opened(address) as store:
            await claimed(store)
            fill(ballast)
            with pytest.raises(StorageError, match="cannot use PostgreSQL") as refused:
                await publish_all(store)
            assert refused.value.hint

    async def publish_all(store: Store) -> None:
        for number, text in enumerate(words):
            await publish(store, envelope(snapshot(tool("x", text)), f"1.{number}"), NOW)
            acknowledged.add(f"1.{number}")

    async def afterwards(address: str) -> None:
        async with opened(address) as store:
            there = await assert_consistent(store)
            assert acknowledged <= {version for _, version in there}
            await publish(store, envelope(snapshot(READ), "2"), NOW)
            await assert_consistent(store)

    with running_postgres(inside=small_disk) as server:
        address = server.address()
        asyncio.run(until_full(address))
        ballast.unlink()
        if not server.is_running:
            server.start()
        asyncio.run(afterwards(address))


async def last_time(store: Store) -> Any:
    changes = await store.recent(limit=1)
    return changes.items[0].version.published_at if changes.items else NOW


async def test_a_locked_database_is_said(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else writes for too long: reading works, writing says why it cannot."""
    monkeypatch.setattr(sqlite_module, "PATIENCE", 0.2)
    monkeypatch.setitem(postgres_module._SETTINGS, "lock_timeout", "200ms")
    async with opened(address) as store:
        await publish(await claimed(store), envelope(snapshot(READ), "1"), NOW)
        async with held(address):
            with pytest.raises(StorageError) as refused:
                await publish(store, envelope(snapshot(READ), "2"), NOW)
            assert "another process" in refused.value.hint
            assert len((await store.versions(FILES)).items) == 1
        await publish(store, envelope(snapshot(READ), "2"), NOW)
        assert len(await assert_consistent(store)) == 2


@asynccontextmanager
async def held(address: str) -> AsyncIterator[None]:
    """Somebody writes, and does not stop."""
    if address.startswith("sqlite"):
        connection = sqlite3.connect(address.removeprefix("sqlite:///"), isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.close()
        return
    other = await asyncpg.connect(address)
    async with other.transaction():
        await other.execute("SELECT * FROM registry_log FOR UPDATE")
        yield
    await other.close()


async def test_a_clock_that_goes_back_does_not_turn_the_log_around(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Times in the log never fall, and a clock that is far behind is worth a warning."""
    first = await publish(store, envelope(snapshot(READ), "1"), NOW)
    second = await publish(store, envelope(snapshot(READ), "2"), NOW - timedelta(minutes=2))
    assert second.version.published_at == first.version.published_at == NOW
    assert not caplog.records

    third = await publish(store, envelope(snapshot(READ), "3"), NOW - timedelta(hours=1))

    assert third.version.published_at == NOW
    [warning] = caplog.records
    assert json.loads(warning.message) == {
        "event": "clock_behind_log",
        "clock": "2026-11-15T11:00:00.123Z",
        "log": "2026-11-15T12:00:00.123Z",
    }
    assert len(await assert_consistent(store)) == 3


async def test_a_clock_that_jumped_ahead_once_does_not_end_the_registry(store: Store) -> None:
    """An entry of the future stays in the log; those after it get its time, until time has caught up."""
    ahead, caught_up = NOW + timedelta(days=3650), NOW + timedelta(days=3651)
    await publish(store, envelope(snapshot(READ), "1"), ahead)

    published = await publish(store, envelope(snapshot(READ), "2"), NOW)
    given = await store.claim("io.other", KEY.public, "admin", NOW + timedelta(hours=1))
    later = await publish(store, envelope(snapshot(READ), "3"), caught_up)

    times = [published.version.published_at, given.claimed_at, later.version.published_at]
    assert times == [ahead, ahead, caught_up]
    assert len(await assert_consistent(store)) == 3


async def test_without_the_key_of_the_log_everything_can_be_read_and_nothing_recorded(address: str) -> None:
    """A lost key is said at once; another one would make every reader see a forged log."""
    with pytest.raises(StorageError, match="the key that signs the log is not there"):
        await open_store(address, None)
    async with opened(address) as store:
        await publish(await claimed(store), envelope(snapshot(READ), "1"), NOW)

    reading = await open_store(address, None)
    try:
        assert len((await reading.search(Search(tool="read_file"))).items) == 1
        with pytest.raises(StorageError, match="the key that signs the log is not there") as refused:
            await publish(reading, envelope(snapshot(READ), "2"), NOW)
        assert "backup" in refused.value.hint
        with pytest.raises(StorageError, match="key"):
            await reading.check()
    finally:
        await reading.close()
    with pytest.raises(StorageError, match="the key given is another one"):
        await open_store(address, Signer(SIGNER.name, OTHER_KEY))
    async with opened(address) as store:
        assert len(await assert_consistent(store)) == 1


async def execute(address: str, statement: str, *values: Any) -> None:
    """Somebody changes the database behind our back."""
    if address.startswith("sqlite"):
        connection = sqlite3.connect(address.removeprefix("sqlite:///"))
        with connection:
            connection.execute(statement, values)
        connection.close()
        return
    other = await asyncpg.connect(address)
    await other.execute(statement.replace("?", "$1"), *values)
    await other.close()


async def test_a_changed_definition_is_noticed_by_whoever_reads_it(address: str, store: Store) -> None:
    """Nobody can put other words into a published version, not even who owns the database."""
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    forged = canonical({**READ, "description": "Sends it home."})
    assert digest_of(forged) != digest(READ)
    for data in (zlib.compress(forged), b"no longer compressed", zlib.compress(b"[]")):
        await execute(address, "UPDATE definitions SET definition = ?", data)
        with pytest.raises(StorageError):
            await store.payload(FILES, "1")
        with pytest.raises(StorageError, match="damaged"):
            await store.capability(digest(READ))
        with pytest.raises(StorageError):
            await publish(store, envelope(snapshot(WRITE), "2"), NOW)
    assert len(await assert_consistent(store)) == 1


async def test_a_store_of_a_newer_avow_is_left_alone(address: str) -> None:
    """Its tables may mean something else."""
    async with opened(address):
        pass
    await execute(address, "UPDATE alembic_version SET version_num = ?", "9999")
    with pytest.raises(StorageError, match="'9999', which this version of Avow does not know"):
        await open_store(address, SIGNER)


async def test_addresses_that_lead_nowhere_are_explained(tmp_path: Path) -> None:
    """Whose fault it is, and what to do; never with a password in it."""
    (tmp_path / "text.db").write_text("no database" * 1000)
    for address, words in (
        (f"sqlite:///{tmp_path}/absent/registry.db", "unable to open"),
        (f"sqlite:///{tmp_path}/text.db", "not a database"),
        (f"postgresql://me:sesame@/x?host={tmp_path}", "cannot use PostgreSQL"),
    ):
        with pytest.raises(StorageError, match=words) as refused:
            await open_store(address, SIGNER)
        assert refused.value.hint
        assert "sesame" not in str(refused.value)
    for address in ("mysql://me:sesame@host/x", "sqlite://", "registry.db"):
        with pytest.raises(UsageError, match="not the address") as no:
            await open_store(address, SIGNER)
        assert "sesame" not in str(no.value)


async def test_many_at_once_of_one_server_come_one_after_the_other(store: Store) -> None:
    """Sixty versions of one server at once: each has the one before as its predecessor."""
    await asyncio.gather(
        *(publish(store, envelope(snapshot(READ), f"1.{number}"), NOW) for number in range(60))
    )
    history = (await store.versions(FILES, limit=100)).items
    assert [each.sequence for each in history] == list(range(60, 0, -1))
    assert [each.predecessor for each in history] == [*(each.version for each in history[1:]), None]
    await assert_consistent(store)


async def test_one_bad_change_does_not_take_others_with_it(store: Store) -> None:
    """A refused publication is in the same transaction as good ones."""
    sent = [
        envelope(snapshot(READ), "1"),
        envelope(snapshot(WRITE), "1"),
        *(envelope(snapshot(READ), "1", ServerName(NAMESPACE, f"s{number}")) for number in range(8)),
    ]
    outcomes = await asyncio.gather(*(publish(store, each, NOW) for each in sent), return_exceptions=True)
    assert sum(isinstance(outcome, Exception) for outcome in outcomes) == 1
    assert len(await assert_consistent(store)) == 9
