"""How long every page and every reading endpoint of a full registry takes over HTTP, from a real process.

Run as `benchmarks/registry_pages.py [sqlite] [postgresql] [--servers N] [--versions N] [--rounds N]
[--only WORD] [--at ADDRESS]`. The registry holds 100,000 versions of 20,000 servers, and some that are large:
46 tools of real servers, and 300 of them with a history of 500 versions. Time is what one caller waits; CPU
is what the service and its database computed meanwhile. Others may use the machine, which only ever adds: of
several rounds the best counts. Exits with 1 when one is over 30 ms at the 95th percentile.
"""

import argparse
import asyncio
import http.client
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


from registry import analyse, databases, opened
from registry_machine import description
from registry_material import KEY, NAMESPACE, SIGNER, fill, snapshot
from registry_paths import (
    HUGE,
    HUGE_SERVERS,
    HUGE_VERSIONS,
    LARGE,
    LARGE_SERVERS,
    LARGE_VERSIONS,
    Making,
    Paths,
)

from avow.core import dsse
from avow.core.canonical import JsonObject, canonical, digest
from avow.core.capability import Kind
from avow.core.documents import snapshot_document
from avow.core.publication import PUBLICATION_TYPE, ServerName
from avow.registry.approvals import decide
from avow.registry.model import ApprovalState, Environment
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.workers import Workers
from avow.system.keys import write_key_pair
from registry_running import Program, program

BAR = 30.0
ASKED = 40
DECIDED = 300
HISTORY = Path(__file__).parent.parent / "tests" / "data" / "history"


def real_tools() -> list[JsonObject]:
    """Tools of recorded servers, in an order of their own."""
    found = []
    for path in sorted(HISTORY.glob("*.json")):
        recording = json.loads(path.read_text(encoding="utf-8"))
        found += [each for each in recording["definitions"] if "inputSchema" in each]
    random.Random(1).shuffle(found)
    return found


def tools_of(server: int, count: int, known: list[JsonObject]) -> list[JsonObject]:
    """So many tools, each as large as a real one and unlike all others."""
    chosen = [known[(server * 7 + place) % len(known)] for place in range(count)]
    return [
        {
            **one,
            "name": f"{one['name'][:40]}_{place}",
            "description": f"{one.get('description', '')} ({server})",
        }
        for place, one in enumerate(chosen)
    ]


async def add_large(store: Store, servers: int, versions: int, size: int) -> None:
    """Publish large servers as their owners would; from version to version a tool is reworded."""
    workers, known, began = Workers(), real_tools(), time.perf_counter()
    try:
        for server in range(servers):
            name = ServerName(NAMESPACE, f"large-{size}-{server}")
            tools = tools_of(server, size, known)
            # The long history belongs to the first; the others are there to be asked for once.
            count = versions if server == 0 or size == LARGE else 3
            for version, payload in enumerate(payloads(name, tools, count)):
                sent = dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [KEY]))
                receipt = await publish(store, sent, datetime.now(UTC), workers)
                assert receipt.version.version == f"1.{version}.0"
    finally:
        workers.shutdown()
    print(f"  servers of {size} tools after {time.perf_counter() - began:.0f} s", flush=True)


def payloads(name: ServerName, tools: list[JsonObject], count: int) -> Iterator[bytes]:
    """What to sign for each version; only the tool that changed is rated again."""
    document = snapshot_document(snapshot(tools))
    entries = {entry["name"]: entry for entry in document["tools"]}
    for version in range(count):
        place = version % len(tools)
        text = f"{tools[place]['description']} Since {version}."
        tools[place] = {**tools[place], "description": text}
        changed = snapshot_document(snapshot([tools[place]]))["tools"]
        entries.update((entry["name"], entry) for entry in changed)
        digests = {entry["name"]: entry["digest"] for entry in entries.values()}
        document["digest"] = digest({**{kind.collection: {} for kind in Kind}, "tools": digests})
        document["tools"] = list(entries.values())
        yield canonical({"name": str(name), "version": f"1.{version}.0", "snapshot": document})


async def add_decisions(store: Store) -> None:
    """Two environments, and people who have decided."""
    await store.set_environment(Environment("production", 2))
    await store.set_environment(Environment("staging"))
    for number in range(DECIDED):
        for by in ("Ada", "Grace")[: 1 + number % 2]:
            await decide(
                store,
                ServerName(NAMESPACE, f"server-{number}"),
                "1.1.0",
                environment="production",
                state=ApprovalState.APPROVED,
                by=by,
                reason="It only reads what the project needs.",
                at=datetime.now(UTC),
            )


async def filled(address: str, servers: int, versions: int) -> None:
    """See that everything is there."""
    async with opened(address) as store:
        if (await store.totals())["versions"] < versions:
            await fill(store, servers, versions)
        if await store.server(ServerName(NAMESPACE, f"large-{LARGE}-0")) is None:
            await add_large(store, LARGE_SERVERS, LARGE_VERSIONS, LARGE)
            await add_large(store, HUGE_SERVERS, HUGE_VERSIONS, HUGE)
            await add_decisions(store)
        print(f"  {dict(await store.totals())}", flush=True)
    if address.startswith("postgresql"):
        await analyse(address)


@dataclass(frozen=True)
class Measured:
    """Milliseconds of one kind of question, in its best round."""

    label: str
    bytes: int
    time: float
    time_p95: float
    cpu: float
    cpu_p95: float

    @property
    def is_slow(self) -> bool:
        return max(self.time_p95, self.cpu_p95) > BAR


class Asking:
    """One caller on one connection, who looks at what the service computes meanwhile."""

    def __init__(self, service: Program, database: int | None) -> None:
        self._connection = http.client.HTTPConnection(service.url.removeprefix("http://"), timeout=60)
        self._headers = {"authorization": f"Bearer {service.token}"}
        self._service = service.process.pid
        self._database = database

    def get(self, path: str, *, allow: tuple[int, ...] = (200,), is_page: bool = False) -> bytes:
        headers = {"accept": "text/html"} if is_page else self._headers
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        data = answer.read()
        assert answer.status in allow, (path, answer.status, data[:300])
        return data

    def measure(self, label: str, path: Making, rounds: int) -> Measured:
        best: Measured | None = None
        for _ in range(rounds):
            found = self._round(label, path)
            if best is None or found.cpu_p95 + found.time_p95 < best.cpu_p95 + best.time_p95:
                best = found
            if not best.is_slow:
                break
        assert best is not None
        return best

    def _round(self, label: str, path: Making) -> Measured:
        times, computed, size = [], [], 0
        is_page, allow = label.startswith("page"), (200, 404) if "nothing" in label else (200,)
        for _ in range(ASKED):
            asked, used, began = path(), self.computed(), time.perf_counter()
            size = max(size, len(self.get(asked, allow=allow, is_page=is_page)))
            times.append((time.perf_counter() - began) * 1_000)
            computed.append((self.computed() - used) * 1_000)
        middle, late = statistics.median, int(ASKED * 0.95) - 1
        return Measured(
            label, size, middle(times), sorted(times)[late], middle(computed), sorted(computed)[late]
        )

    def computed(self) -> float:
        """Seconds of CPU of the service and of its database."""
        processes = [self._service, *children(self._service)]
        if self._database is not None:
            processes += children(self._database)
        return sum(map(seconds, processes))


def children(process: int) -> list[int]:
    """Those that any of its threads has started."""
    listed = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for thread in listed for each in thread.read_text().split()]


def seconds(process: int) -> float:
    """What all threads of a process have computed, finer than the clock ticks."""
    total = 0
    for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            total += int(thread.read_text().split()[0])
        except OSError:
            continue
    return total / 1e9


def memory(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def prepare_directory(directory: Path) -> None:
    """The key of the log that the store was begun with."""
    data = directory / "data"
    data.mkdir(mode=0o700)
    write_key_pair(data / "log.key", SIGNER.key)
    (data / "log.origin").write_text(SIGNER.name)


def measure(address: str, arguments: argparse.Namespace, database: int | None) -> bool:
    asyncio.run(filled(address, arguments.servers, arguments.versions))
    slow = []
    with tempfile.TemporaryDirectory(prefix="avow-pages-") as made:
        directory = Path(made)
        prepare_directory(directory)
        with program(directory, "--database", address, "--quiet", token=token_of(address)) as service:
            asking = Asking(service, database)
            paths = Paths(arguments.servers, asking.get)
            print(f"  {'':32} {'bytes':>9} {'median':>8} {'p95':>8} {'CPU':>8} {'p95':>8}")
            for label, path in (*paths.pages(), *paths.endpoints()):
                if arguments.only and arguments.only not in label:
                    continue
                found = asking.measure(label, path, arguments.rounds)
                slow += [found] if found.is_slow else []
                print(
                    f"  {label:32} {found.bytes:9,} {found.time:8.2f} {found.time_p95:8.2f} {found.cpu:8.2f} "
                    f"{found.cpu_p95:8.2f}{'  SLOW' if found.is_slow else ''}",
                    flush=True,
                )
            print(f"  memory of the service: {memory(service.process.pid):.0f} MB resident")
    print(f"  over {BAR:.0f} ms: {', '.join(each.label for each in slow) or 'none'}")
    return not slow


def token_of(address: str) -> str:
    """A token that may do everything."""
    from avow.registry import tokens
    from avow.registry.model import Role

    async def issue() -> str:
        async with opened(address) as store:
            return (await tokens.issue(store, "benchmark", Role.ADMINISTER, datetime.now(UTC))).text

    return asyncio.run(issue())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--servers", type=int, default=20_000)
    parser.add_argument("--versions", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3, help="how often to ask again for what is slow")
    parser.add_argument("--only", default="", help="kinds of questions with this in their name")
    parser.add_argument("--at", help="a filled store to use again")
    parser.add_argument("--postmaster", type=int, help="the process of that store, when it is PostgreSQL")
    arguments = parser.parse_args()
    good = True
    for kind in arguments.kinds:
        print(f"== {kind}: {description()}", flush=True)
        if arguments.at:
            good &= measure(arguments.at, arguments, arguments.postmaster)
            continue
        with databases(kind) as address:
            where = address()
            good &= measure(where, arguments, postmaster(where))
    return 0 if good else 1


def postmaster(address: str) -> int | None:
    """The process that answers for PostgreSQL at this address."""
    if not address.startswith("postgresql"):
        return None
    directory = Path(address.partition("?host=")[2])
    return int((directory / "data" / "postmaster.pid").read_text().split("\n")[0])


if __name__ == "__main__":
    raise SystemExit(main())
