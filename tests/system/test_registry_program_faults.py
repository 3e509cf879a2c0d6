"""`avow registry serve` where something fails: it says what, and what to do, and loses nothing."""

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import httpx
import pytest

from avow.core.keys import PrivateKey
from registry_postgres import Postgres, running_postgres
from registry_running import READ, Program, envelope, program
from test_registry_api_faults import COUNT, publications, published

HEADERS = {"content-type": "application/json"}


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """A server that may be killed, and keeps what it has committed."""
    with running_postgres(fsync="on", full_page_writes="on", max_connections="20") as server:
        yield server


def refused(directory: Path, *options: str) -> str:
    """What the program says that does not start; it ends with code 2, and without a traceback."""
    data = ("--data", str(directory / "data"))
    done = subprocess.run(
        [sys.executable, "-m", "avow", "registry", "serve", "--listen", "127.0.0.1:0", *data, *options],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "HOME": str(directory), "AVOW_SECRET_STORE": "file"},
    )
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert "hint" in done.stderr
    return done.stderr


def publish(registry: Program, version: str, token: str = "") -> httpx.Response:
    headers = {**HEADERS, "authorization": f"Bearer {token or registry.token}"}
    body = envelope(version, READ)
    return httpx.post(f"{registry.url}/api/v1/publish", content=body, headers=headers, timeout=60)


def assert_told(answer: httpx.Response, *words: str) -> None:
    """An answer that says why not, and what to do."""
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["hint"]
    for word in words:
        assert word in answer.text


def test_a_killed_postgres_costs_no_publication_that_was_acknowledged(
    tmp_path: Path, own_postgres: Postgres
) -> None:
    """kill -9 of the database under 200 publications: 503 until it is back, and then the service goes on."""
    with program(tmp_path, "--quiet", "--database", own_postgres.address()) as registry:
        statuses: Counter[int] = Counter()
        acknowledged: set[str] = set()

        async def send(client: httpx.AsyncClient, name: str, data: bytes, until: asyncio.Event) -> None:
            headers = {**HEADERS, "authorization": f"Bearer {registry.token}"}
            answer = await client.post(f"{registry.url}/api/v1/publish", content=data, headers=headers)
            statuses[answer.status_code] += 1
            if answer.status_code == 201:
                acknowledged.add(name)
                if len(acknowledged) > COUNT // 5:
                    until.set()
            else:
                assert_told(answer, "cannot use PostgreSQL")

        async def run() -> None:
            enough = asyncio.Event()
            limits = httpx.Limits(max_connections=32)
            async with httpx.AsyncClient(timeout=60, limits=limits) as client, asyncio.TaskGroup() as group:
                for name, data in publications():
                    group.create_task(send(client, name, data, enough))
                async with asyncio.timeout(60):
                    await enough.wait()
                await asyncio.to_thread(own_postgres.kill)

        asyncio.run(run())
        assert statuses.keys() == {201, 503}
        assert httpx.get(f"{registry.url}/healthz").status_code == 503
        own_postgres.start()

        found = published(registry)
        assert acknowledged <= set(found)
        assert max(Counter(found).values()) == 1
        assert publish(registry, "9.0.0").status_code == 201
        assert httpx.get(f"{registry.url}/healthz").status_code == 200


def test_a_database_that_is_away_is_said_and_waited_for_by_nobody(
    tmp_path: Path, own_postgres: Postgres
) -> None:
    """The program does not start without it, and does when it is back."""
    address = own_postgres.address()
    own_postgres.stop()
    assert "cannot use PostgreSQL" in refused(tmp_path, "--database", address)
    own_postgres.start()
    with program(tmp_path, "--quiet", "--database", address) as registry:
        assert publish(registry, "1.0.0").status_code == 201


def test_a_database_without_a_free_connection_is_said(tmp_path: Path, own_postgres: Postgres) -> None:
    """Others have taken all of them: 503 with a hint, and nothing is lost when they are gone.

    More questions at once than the pool has connections are no failure: they wait, and are answered.
    """
    address = own_postgres.address()
    with program(tmp_path, "--quiet", "--database", address) as registry:
        assert publish(registry, "1.0.0").status_code == 201

        async def ask() -> Counter[int]:
            async with httpx.AsyncClient(timeout=60) as client:
                asked = (client.get(f"{registry.url}/api/v1/servers") for _ in range(100))
                return Counter(answer.status_code for answer in await asyncio.gather(*asked))

        assert asyncio.run(ask()) == {200: 100}
        own_postgres.kill()
        own_postgres.start()

        async def crowd() -> httpx.Response:
            async with contextlib.AsyncExitStack() as stack:
                with contextlib.suppress(asyncpg.TooManyConnectionsError):
                    while True:
                        taken = await asyncpg.connect(address)
                        stack.push_async_callback(taken.close)
                return await asyncio.to_thread(publish, registry, "1.1.0")

        assert_told(asyncio.run(crowd()), "too many clients")
        assert publish(registry, "1.1.0").status_code == 201
        assert len(published(registry)) == 2


def test_a_registry_that_cannot_be_opened_says_why_and_is_left_alone(tmp_path: Path) -> None:
    """Not a database, one with a damaged page, half of one, one of a newer Avow, one with another key."""
    with program(tmp_path, "--quiet") as registry:
        assert publish(registry, "1.0.0").status_code == 201
    path = tmp_path / "data" / "registry.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    for damaged in (b"no database" * 1000, whole[:100] + bytes(4000) + whole[4100:], whole[:9000]):
        path.write_bytes(damaged)
        told = refused(tmp_path)
        assert str(path) in told
        assert "restore a backup" in told
    path.write_bytes(whole)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    assert "'9999', which this version of Avow does not know" in refused(tmp_path)
    path.write_bytes(whole)
    key = tmp_path / "data" / "log.key"
    kept = key.read_bytes()
    key.write_bytes(PrivateKey(b"x" * 32).pem())
    assert "the key given is another one" in refused(tmp_path)
    key.write_bytes(kept)
    with program(tmp_path, "--quiet") as registry:
        assert len(published(registry)) == 1


def test_without_its_key_a_registry_is_read_and_records_nothing(tmp_path: Path) -> None:
    """What is published can be read, and whoever watches the registry is told."""
    with program(tmp_path, "--quiet") as registry:
        token = registry.token
        assert publish(registry, "1.0.0").status_code == 201
    (tmp_path / "data" / "log.key").unlink()
    with program(tmp_path, "--quiet", token=token) as registry:
        assert_told(publish(registry, "1.1.0"), "the key that signs the log is not there")
        assert httpx.get(f"{registry.url}/healthz").status_code == 503
        assert httpx.get(f"{registry.url}/api/v1/servers").json()["servers"][0]["versions"] == 1


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of its own, where we may make one."""
    directory = Path(tempfile.mkdtemp(prefix="avow-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", str(directory)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        directory.rmdir()
        pytest.skip("no disk can be mounted here")
    try:
        yield directory
    finally:
        subprocess.run(["umount", directory], check=True)
        directory.rmdir()


def test_a_full_disk_and_a_read_only_one_cost_nothing_that_was_acknowledged(small_disk: Path) -> None:
    """503 until there is room, and nothing half-written stays; where nothing may be written, no start."""
    with program(small_disk, "--quiet") as registry:
        assert publish(registry, "1.0.0").status_code == 201
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(4096)):
                pass
        answers = [publish(registry, f"1.{number}.0") for number in range(1, 40)]
        acknowledged = 1 + sum(answer.status_code == 201 for answer in answers)
        assert_told(answers[-1], "the disk is full or fails")
        ballast.unlink()
        assert publish(registry, "2.0.0").status_code == 201
        assert len(published(registry)) == acknowledged + 1
    view = Path(tempfile.mkdtemp(prefix="avow-view-"))
    subprocess.run(["mount", "--bind", "-o", "ro", small_disk, view], check=True)
    try:
        assert "may be written" in refused(view)
        assert "Read-only" in refused(view / "new")
    finally:
        subprocess.run(["umount", view], check=True)
        view.rmdir()
