"""How fast a registry publishes and answers: empty, and with 100,000 versions of 20,000 servers.

Run as `benchmarks/registry.py [sqlite] [postgresql] [--servers N] [--versions N] [--keep]`. Publications go
through `publishing.publish` with 32 at once, as the HTTP layer calls it; each is a new version of a server of
six tools, one of them reworded. First versions, whose tools are all new, are measured too.
"""

import argparse
import asyncio
import hashlib
import json
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from avow.core import dsse
from avow.core.canonical import JsonObject, canonical, digest_of
from avow.core.capability import Capability, Kind, Signature
from avow.core.documents import snapshot_document
from avow.core.keys import PrivateKey
from avow.core.publication import PUBLICATION_TYPE, Publication, ServerName, publication_payload
from avow.core.risk import Level, Risk
from avow.core.severity import Severity
from avow.core.snapshot import Era, Snapshot
from avow.core.target import read_target
from avow.core.tlog.notes import Signer
from avow.registry import indexing
from avow.registry.model import Counts, Needs, Search
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from avow.registry.store.packing import pack, squeeze
from avow.registry.store.prepared import Prepared, PreparedCapability
from avow.registry.workers import Workers
from registry_postgres import running_postgres

AT_ONCE = 32
PUBLICATIONS = 1_000
QUESTIONS = 60
LEVELS = tuple(Level)
KEY = PrivateKey(hashlib.sha256(b"benchmark").digest())
SIGNER = Signer("benchmark.example/log", PrivateKey(hashlib.sha256(b"log").digest()))
NAMESPACE = "io.github.benchmark"
VERBS = (
    "read",
    "write",
    "list",
    "search",
    "get",
    "set",
    "create",
    "delete",
    "send",
    "fetch",
    "query",
    "move",
)
NOUNS = ("file", "table", "page", "issue", "message", "user", "event", "task", "note", "image", "record")
ARGUMENTS = ("path", "query", "name", "id", "url", "text", "limit", "offset", "format", "owner", "title")
TYPES = ("string", "integer", "boolean", "array", "object", "number")
WORDS = [f"{verb}{noun}{number}" for verb in VERBS for noun in NOUNS for number in range(12)]


def tool(chance: random.Random, number: int) -> JsonObject:
    """A tool that nobody else has."""
    words = " ".join(chance.choices(WORDS, k=12))
    names = chance.sample(ARGUMENTS, 3)
    return {
        "name": f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}_{number % 500}",
        "description": f"{chance.choice(VERBS)} the {chance.choice(NOUNS)} and more. {words} {number}.",
        "annotations": {"readOnlyHint": chance.random() < 0.4},
        "inputSchema": {
            "type": "object",
            "properties": {
                name: {"type": chance.choice(TYPES), "description": f"The {name} to use"} for name in names
            },
            "required": names[:1],
        },
    }


def snapshot(tools: list[JsonObject]) -> Snapshot:
    named = {each["name"]: each for each in tools}
    return Snapshot(
        target=read_target({"type": "stdio", "command": "npx", "args": ["-y", "some-server"], "env": []}),
        server={"name": "some-server", "version": "1.0.0"},
        protocol_version="2025-11-25",
        era=Era.LEGACY,
        capabilities={"tools": {}},
        signature=Signature.of(Capability.read(Kind.TOOL, each) for each in named.values()),
    )


EMPTY = snapshot([])
EMPTY_DOCUMENT = snapshot_document(EMPTY)
NOTHING = squeeze(b"[]")


def envelope(name: ServerName, version: str, shown: Snapshot) -> bytes:
    return dsse.dumps(dsse.sign(publication_payload(name, version, shown), PUBLICATION_TYPE, [KEY]))


def reworded(tools: list[JsonObject]) -> list[JsonObject]:
    first, *rest = tools
    return [{**first, "description": f"{first['description']} Since today."}, *rest]


class MadeUp:
    """A server whose versions are made without rating and comparing: only to fill the tables, and fast."""

    def __init__(self, number: int) -> None:
        self._chance = random.Random(number)
        self._number = number * 100
        self._name = ServerName(NAMESPACE, f"server-{number}")
        self._shown = EMPTY
        self._parts: list[Part] = []
        self._sequence = 0

    def release(self) -> Prepared:
        """The next version: fifteen tools, one of them new."""
        self._sequence += 1
        fresh = 15 if self._sequence == 1 else 1
        self._parts = [*self._parts[fresh:], *(self._part() for _ in range(fresh))]
        shown = replace(EMPTY, signature=Signature({part.one.name: part.one for part in self._parts}))
        parts = [part for part in self._parts if shown.signature.tools[part.one.name] is part.one]
        version = f"1.{self._sequence}.0"
        offered = {
            **EMPTY_DOCUMENT,
            "digest": shown.signature.digest,
            "tools": [part.entry for part in parts],
        }
        document = {"name": str(self._name), "version": version, "snapshot": offered}
        payload = canonical(document)
        publication = Publication(self._name, version, shown, digest_of(payload), document)
        ratings = {(part.one.kind, part.one.digest): part.risk for part in parts}
        return Prepared(
            name=self._name,
            version=version,
            digest=shown.signature.digest,
            content=publication.content,
            published_at=datetime.now(UTC),
            key=KEY.public.identifier,
            counts=Counts(tools=len(parts), medium=len(parts)),
            needs=Needs(declared=True, required_secrets=self._number // 100 % 2),
            predecessor=self._sequence - 1,
            highest=Severity.SAFE if self._sequence > 1 else None,
            drift={Severity.SAFE: 1} if self._sequence > 1 else {},
            drift_document=NOTHING,
            body=pack(publication, payload, ratings),
            signatures=NOTHING,
            offered=tuple(ratings),
            fresh=tuple(part.fresh for part in self._parts[-fresh:]),
            title="",
            description="",
            words=indexing.server_words(str(self._name), shown),
        )

    def _part(self) -> "Part":
        self._number += 1
        one = Capability.read(Kind.TOOL, tool(self._chance, self._number))
        risk = Risk(LEVELS[int(one.digest[-1], 16) % 3], (f"a word of {one.name}",))
        arguments = indexing.arguments_of(one)
        fresh = PreparedCapability(
            digest=one.digest,
            kind=one.kind,
            name=one.name,
            title="",
            description=one.definition["description"],
            risk=risk.level,
            reasons=json.dumps(risk.reasons),
            definition=squeeze(canonical(one.definition)),
            arguments=arguments,
            annotations=indexing.annotations_of(one),
            words=indexing.capability_words(one, arguments),
        )
        rating = {"level": str(risk.level), "reasons": list(risk.reasons)}
        named = {"name": one.name, "digest": one.digest, "components": one.components, "risk": rating}
        return Part(one, risk, fresh, {**named, "definition": one.definition})


@dataclass(frozen=True, slots=True)
class Part:
    one: Capability
    risk: Risk
    fresh: PreparedCapability
    entry: JsonObject


async def fill(store: Store, servers: int, versions: int) -> None:
    """Publish without verifying, many at a time."""
    began, done = time.perf_counter(), 0
    for first in range(0, servers, 500):
        batch = [MadeUp(number) for number in range(first, min(first + 500, servers))]
        for _ in range(versions // servers):
            await asyncio.gather(*(store.publish(each.release()) for each in batch))
            done += len(batch)
        if first % 2_000 == 0:
            print(f"  {done} versions after {time.perf_counter() - began:.0f} s", flush=True)


async def publications(store: Store, workers: Workers, label: str, prefix: str) -> float:
    """How many a second: first versions, releases with the same tools, and with one of six reworded."""
    chance = random.Random(prefix)
    names = [ServerName(NAMESPACE, f"{prefix}-{number}") for number in range(PUBLICATIONS)]
    tools = [[tool(chance, number * 10 + place) for place in range(6)] for number in range(PUBLICATIONS)]
    releases = {
        "first versions": ("1.0.0", tools),
        "same tools": ("1.1.0", tools),
        "one reworded": ("1.2.0", [reworded(own) for own in tools]),
    }
    rate = 0.0
    for what, (version, offered) in releases.items():
        sent = [envelope(name, version, snapshot(own)) for name, own in zip(names, offered, strict=True)]
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

    began, used = time.perf_counter(), cpu()
    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))
    return Times(time.perf_counter() - began, single, (cpu() - used) / len(calls))


def cpu() -> float:
    """Seconds that this process and those it started have computed; others may have kept the machine busy."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(entry.parent.name) == os.getpid() or int(fields[1]) == os.getpid():
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def questions(chance: random.Random) -> Iterator[tuple[str, Callable[[Store], Awaitable[Any]]]]:
    """Every kind of page that people and programs ask for."""

    def name() -> ServerName:
        return ServerName(NAMESPACE, f"server-{chance.randrange(500)}")

    searches = {
        "tool": lambda: Search(tool=f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}_{chance.randrange(500)}"),
        "argument": lambda: Search(argument=chance.choice(ARGUMENTS), argument_type=chance.choice(TYPES)),
        "argument, high risk": lambda: Search(argument="path", argument_type="string", risk=Level.HIGH),
        "annotation": lambda: Search(annotation=("readOnlyHint", "true")),
        "annotation, no secret": lambda: Search(annotation=("readOnlyHint", "true"), needs_no_secret=True),
        "risk": lambda: Search(risk=chance.choice(list(Level))),
        "kind, risk": lambda: Search(kind=Kind.TOOL, risk=Level.LOW),
        "kind nobody has": lambda: Search(kind=Kind.PROMPT),
        "rare word": lambda: Search(text=chance.choice(WORDS)),
        "common word": lambda: Search(text=chance.choice(VERBS)),
        "two words": lambda: Search(text=f"{chance.choice(VERBS)} {chance.choice(NOUNS)}"),
        "five words": lambda: Search(text=f"the and more {chance.choice(VERBS)} {chance.choice(WORDS)}"),
        "word, argument, risk": lambda: Search(
            text=chance.choice(NOUNS), argument="query", argument_type="string", risk=Level.LOW
        ),
    }
    for label, search in searches.items():
        yield f"search: {label}", partial(_search, search)
    yield "facets: risk", lambda store: store.facets(Search(risk=Level.HIGH))
    yield "facets: word", lambda store: store.facets(Search(text=chance.choice(VERBS)))
    yield "servers", lambda store: store.servers()
    yield "servers: word", lambda store: store.servers(chance.choice(NOUNS))
    yield "servers: name", lambda store: store.servers(f"server {chance.randrange(20_000)}")
    yield "server", lambda store: store.server(name())
    yield "history", lambda store: store.versions(name())
    yield "snapshot", lambda store: store.payload(name(), "1.1.0")
    yield "recent", lambda store: store.recent()
    yield "recent, moderate", lambda store: store.recent(level=Severity.MODERATE)
    yield "undecided", lambda store: store.undecided("production")
    yield "holders", _holders(name)
    yield "candidates", lambda store: store.candidates([(Kind.TOOL, f"read_file_{chance.randrange(500)}")])
    yield "deep page", _deep


def _holders(name: Callable[[], ServerName]) -> Callable[[Store], Awaitable[Any]]:
    async def ask(store: Store) -> Any:
        version = await store.version(name())
        assert version is not None
        return await store.holders(version.digest)

    return ask


async def _search(search: Callable[[], Search], store: Store) -> Any:
    return await store.search(search())


async def _deep(store: Store) -> Any:
    page = await store.search(Search(argument="path", argument_type="string"))
    return await store.search(Search(argument="path", argument_type="string"), cursor=page.next)


async def answers(store: Store) -> float:
    """The slowest 95th percentile of all kinds of questions, one caller."""
    chance, worst, everything = random.Random(2), 0.0, []
    for label, ask in questions(chance):
        single = []
        for _ in range(QUESTIONS):
            began = time.perf_counter()
            await ask(store)
            single.append((time.perf_counter() - began) * 1_000)
        p95 = sorted(single)[int(len(single) * 0.95)]
        worst = max(worst, p95)
        everything += single
        print(f"  {label:24} median {statistics.median(single):6.2f} ms, p95 {p95:6.2f} ms", flush=True)
    print(f"  all of them              p95 {sorted(everything)[int(len(everything) * 0.95)]:6.2f} ms")
    return worst


def memory() -> float:
    """The megabytes that this process holds."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


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
    print(f"== {kind}", flush=True)
    workers = Workers()
    try:
        async with opened(address()) as store:
            await publications(store, workers, "warm ", "warm")
            empty = await publications(store, workers, "empty", "empty")
        where = arguments.at or address()
        async with opened(where) as store:
            if (await store.totals())["versions"] < arguments.versions:
                await fill(store, arguments.servers, arguments.versions)
            if kind == "postgresql":
                await analyse(where)
            print(f"  {dict(await store.totals())}")
        async with opened(where) as store:
            worst = await answers(store)
            full = await publications(store, workers, "full ", f"full{time.time():.0f}")
            print(f"  memory: {memory():.0f} MB resident in this process")
        ratio = empty / full
        print(
            f"  {kind}: {full:.0f} reworded versions/s on a full registry, {ratio:.2f} times as slow as empty"
        )
        print(f"  {kind}: slowest page {worst:.1f} ms at p95")
    finally:
        workers.shutdown()


async def analyse(address: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(address)
    await connection.execute("ANALYZE")
    await connection.close()


@contextmanager
def databases(kind: str, keep: Path | None) -> Iterator[Callable[[], str]]:
    if kind == "postgresql":
        with running_postgres(
            fsync="on", full_page_writes="on", shared_buffers="128MB", autovacuum="on"
        ) as server:
            made = iter([server.address(), server.address()])
            yield lambda: next(made)
        return
    directory = keep or Path(tempfile.mkdtemp(prefix="avow-benchmark-"))
    numbers = iter(range(1_000))
    try:
        yield lambda: f"sqlite:///{directory}/{next(numbers)}.db"
    finally:
        if keep is None:
            shutil.rmtree(directory)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--servers", type=int, default=20_000)
    parser.add_argument("--versions", type=int, default=100_000)
    parser.add_argument("--at", help="a filled store to use again")
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for kind in arguments.kinds:
        with databases(kind, None) as address:
            asyncio.run(measure(kind, address, arguments))


if __name__ == "__main__":
    main()
