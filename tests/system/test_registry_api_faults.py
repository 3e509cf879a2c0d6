"""The service is killed in the middle of its work, or is two: what it acknowledged is there, once."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from avow.core.tlog import entry as entries
from avow.core.tlog.auditing import verify_tiles
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.entry import PublicationEntry
from avow.core.tlog.notes import read_verifier_key
from avow.core.tlog.tiles import Bundle, read_bundle
from registry_postgres import Postgres, running_postgres
from registry_running import READ, Program, envelope, program
from small_log import served_at

COUNT = 200


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres(fsync="on", full_page_writes="on") as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def options(request: pytest.FixtureRequest) -> tuple[str, ...]:
    if request.param == "sqlite":
        return ("--quiet",)
    server: Postgres = request.getfixturevalue("postgres")
    return ("--quiet", "--database", server.address())


def publications() -> list[tuple[str, bytes]]:
    """Versions of twenty servers, each another."""
    return [
        (
            f"io.github.owner/s{number % 20} 1.{number}.0",
            envelope(f"1.{number}.0", {**READ, "title": str(number)}, name=f"io.github.owner/s{number % 20}"),
        )
        for number in range(COUNT)
    ]


async def send_all(urls: list[str], token: str, ended: asyncio.Event, enough: int) -> set[str]:
    """Send everything at once, to all of these; the answer is what was acknowledged."""
    acknowledged: set[str] = set()
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    waiting = list(enumerate(publications()))

    async def work(client: httpx.AsyncClient) -> None:
        while waiting:
            number, (name, data) = waiting.pop()
            with contextlib.suppress(httpx.HTTPError):
                url = f"{urls[number % len(urls)]}/api/v1/publish"
                answer = await client.post(url, content=data, headers=headers)
                assert answer.status_code == 201, answer.text
                acknowledged.add(name)
                if len(acknowledged) >= enough:
                    ended.set()

    async with httpx.AsyncClient(timeout=30) as client, asyncio.TaskGroup() as group:
        for _ in range(32):
            group.create_task(work(client))
    return acknowledged


def published(registry: Program) -> list[str]:
    """What the log holds, after all of it was verified from its tiles up to the signed root."""
    with httpx.Client(base_url=registry.url, timeout=30) as client:
        key = read_verifier_key(client.get("/api/v1/log/key").json()["key"])
        known = open_checkpoint(client.get("/checkpoint").content, key).checkpoint
        tiles = {each: client.get(f"/{each.path}").content for each in served_at(known.size)}
        verify_tiles(known.size, known.root, tiles.__getitem__)
        told = [
            entries.loads(data)
            for each, content in tiles.items()
            if isinstance(each, Bundle)
            for data in read_bundle(content, each)
        ]
        found = [f"{each.name} {each.version}" for each in told if isinstance(each, PublicationEntry)]
        for name in {each.partition(" ")[0] for each in found}:
            answer = client.get(f"/api/v1/servers/{name}/versions", params={"limit": 200}).json()
            listed = {f"{name} {each['version']}" for each in answer["versions"]}
            assert listed == {each for each in found if each.startswith(f"{name} ")}
    return found


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, options: tuple[str, ...]) -> None:
    with program(tmp_path, *options) as registry:
        token = registry.token

        async def run() -> set[str]:
            killed = asyncio.Event()
            sending = asyncio.create_task(send_all([registry.url], token, killed, COUNT // 4))
            async with asyncio.timeout(60):
                await killed.wait()
            registry.process.kill()
            return await sending

        acknowledged = asyncio.run(run())

    with program(tmp_path, *options, token=token) as registry:
        found = published(registry)
        again = asyncio.run(send_rest(registry, token))
        complete = published(registry)

    assert COUNT // 4 <= len(acknowledged) < COUNT
    assert acknowledged <= set(found)
    assert max(Counter(found).values()) == 1
    assert again == {201: COUNT - len(found), 200: len(found)}
    assert sorted(complete) == sorted(name for name, _ in publications())


async def send_rest(registry: Program, token: str) -> dict[int, int]:
    """Send everything once more, as somebody does who does not know what arrived."""
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    statuses: Counter[int] = Counter()
    async with httpx.AsyncClient(timeout=30) as client:
        for _, data in publications():
            answer = await client.post(f"{registry.url}/api/v1/publish", content=data, headers=headers)
            statuses[answer.status_code] += 1
    return dict(statuses)


def test_two_processes_on_one_database_write_one_log(tmp_path: Path, postgres: Postgres) -> None:
    """Both are sent half of everything at once; both show the same log, and it holds all of it once."""
    options = ("--quiet", "--database", postgres.address())
    with program(tmp_path, *options) as one, program(tmp_path, *options, token=one.token) as two:

        async def run() -> set[str]:
            return await send_all([one.url, two.url], one.token, asyncio.Event(), COUNT + 1)

        acknowledged = asyncio.run(run())
        logs = [published(each) for each in (one, two)]
        notes = {httpx.get(f"{each.url}/checkpoint").text for each in (one, two)}

    assert len(acknowledged) == COUNT
    assert logs[0] == logs[1]
    assert sorted(logs[0]) == sorted(acknowledged)
    assert len(notes) == 1
