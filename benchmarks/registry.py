"""How fast a registry publishes and answers: empty, and with 100,000 versions of 20,000 servers.

Run as `benchmarks/registry.py [sqlite] [postgresql] [--http] [--servers N] [--versions N]`. Publications are
new versions of servers of six tools: first versions, whose tools are all new, then releases with the same
tools, then with one of six reworded; 32 at once. Without `--http` they go through `publishing.publish`, as
the HTTP layer calls it, and questions are asked too; with it they go to real services (`registry_http.py`).
"""

import argparse
import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from registry_http import measure_http, served
from registry_machine import cpu_seconds, description, resident
from registry_material import KEY, NAMESPACE, SIGNER, fill, releases
from registry_questions import answers

from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from avow.registry.workers import Workers
from registry_postgres import running_postgres

AT_ONCE = 32


async def publications(store: Store, workers: Workers, label: str, prefix: str, count: int) -> float:
    """How many a second, of each kind of release; the answer is the rate of the last."""
    rate = 0.0
    for what, sent in releases(prefix, count):
        times = await at_once([partial(publish, store, each, datetime.now(UTC), workers) for each in sent])
        rate = len(sent) / times.whole
        print(
            f"  {label}: {what:14} {rate:4.0f}/s, median {times.median:5.1f} ms, p95 {times.p95:5.1f} ms, "
            f"{times.cpu:.2f} ms of CPU each, {len(sent[0]):,} bytes each",
            flush=True,
        )
    return rate


class Times:
    def __init__(self, whole: float, single: list[float], cpu: float) -> None:
        self.whole = whole
        self.cpu = cpu * 1_000
        self.median = statistics.median(single) * 1_000
        self.p95 = sorted(single)[int(len(single) * 0.95)] * 1_000


async def at_once(calls: list[Callable[[], Awaitable[Any]]]) -> Times:
    """Make all calls, thirty-two at a time."""
    waiting, single = iter(calls), []

    async def caller() -> None:
        for call in waiting:
            began = time.perf_counter()
            await call()
            single.append(time.perf_counter() - began)

    began, used = time.perf_counter(), cpu_seconds(os.getpid())
    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))
    return Times(time.perf_counter() - began, single, (cpu_seconds(os.getpid()) - used) / len(calls))


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Store]:
    store = await open_store(address, SIGNER)
    if await store.namespace(NAMESPACE) is None:
        await store.claim(NAMESPACE, KEY.public, "benchmark", datetime.now(UTC))
    try:
        yield store
    finally:
        await store.close()


async def measure(kind: str, address: Callable[[], str], arguments: argparse.Namespace) -> None:
    workers = Workers()
    try:
        async with opened(address()) as store:
            await publications(store, workers, "warm ", "warm", arguments.publications)
            empty = await publications(store, workers, "empty", "empty", arguments.publications)
        if not arguments.versions:
            return
        where = arguments.at or address()
        await filled(kind, where, arguments)
        async with opened(where) as store:
            worst = await answers(store)
            prefix = f"full{time.time():.0f}"
            full = await publications(store, workers, "full ", prefix, arguments.publications)
            print(f"  memory: {resident(os.getpid())[os.getpid()]:.0f} MB resident in this process")
        ratio = empty / full
        print(
            f"  {kind}: {full:.0f} reworded versions/s on a full registry, {ratio:.2f} times as slow as empty"
        )
        print(f"  {kind}: slowest page {worst:.1f} ms at p95")
    finally:
        workers.shutdown()


async def filled(kind: str, address: str, arguments: argparse.Namespace) -> None:
    """Fill a store, unless it is full."""
    async with opened(address) as store:
        if (await store.totals())["versions"] < arguments.versions:
            await fill(store, arguments.servers, arguments.versions)
        if kind == "postgresql":
            await analyse(address)
        print(f"  {dict(await store.totals())}", flush=True)


async def analyse(address: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(address)
    await connection.execute("ANALYZE")
    await connection.close()


def measure_services(kind: str, address: Callable[[], str], arguments: argparse.Namespace) -> list[str]:
    """Over HTTP: an empty registry, and a full one unless told."""
    with ExitStack() as stack:
        registries = {}
        for label in ("empty", "full") if arguments.versions else ("empty",):
            where = arguments.at if label == "full" and arguments.at else address()
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="avow-benchmark-")))
            asyncio.run(claimed(where) if label == "empty" else filled(kind, where, arguments))
            registries[label] = stack.enter_context(served(directory, where))
        return measure_http(kind, registries, f"http{time.time():.0f}", arguments.publications)


async def claimed(address: str) -> None:
    async with opened(address):
        pass


@contextmanager
def databases(kind: str) -> Iterator[Callable[[], str]]:
    if kind == "postgresql":
        with running_postgres(
            fsync="on", full_page_writes="on", shared_buffers="128MB", autovacuum="on"
        ) as server:
            made = iter([server.address(), server.address()])
            yield lambda: next(made)
        return
    directory = Path(tempfile.mkdtemp(prefix="avow-benchmark-"))
    numbers = iter(range(1_000))
    try:
        yield lambda: f"sqlite:///{directory}/{next(numbers)}.db"
    finally:
        shutil.rmtree(directory)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--http", action="store_true", help="publish to running services")
    parser.add_argument("--publications", type=int, default=1_000)
    parser.add_argument("--servers", type=int, default=20_000)
    parser.add_argument("--versions", type=int, default=100_000, help="0 measures an empty registry only")
    parser.add_argument("--at", help="a filled store to use again")
    arguments = parser.parse_args()
    missed = []
    for kind in arguments.kinds:
        print(f"== {kind}{' over HTTP' if arguments.http else ''}: {description()}", flush=True)
        with databases(kind) as address:
            if arguments.http:
                missed += measure_services(kind, address, arguments)
            else:
                asyncio.run(measure(kind, address, arguments))
    for each in missed:
        print(f"missed: {each}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
