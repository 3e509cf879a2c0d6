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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlencode

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


from registry import analyse, databases, opened
from registry_machine import description
from registry_material import ARGUMENTS, KEY, NAMESPACE, NOUNS, SIGNER, VERBS, WORDS, fill, snapshot

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
SMALL, LARGE, HUGE = 15, 46, 300
LARGE_SERVERS, LARGE_VERSIONS = 40, 3
HUGE_SERVERS, HUGE_VERSIONS = 3, 500
SIZES = ((SMALL, 0), (LARGE, LARGE_SERVERS), (HUGE, HUGE_SERVERS))
DECIDED = 300
HISTORY = Path(__file__).parent.parent / "tests" / "data" / "history"
Making = Callable[[], str]


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


class Paths:
    """Every path that people and programs ask for; each call makes another one of its kind."""

    def __init__(self, servers: int, ask: Callable[[str], bytes]) -> None:
        self._chance = random.Random(3)
        self._servers = servers
        self._ask = ask
        self._size = int(self._ask("/checkpoint").split(b"\n")[1])
        self._digests = {size: self._signature(size) for size in (SMALL, LARGE, HUGE)}

    def _name(self, size: int = SMALL, many: int = 0) -> str:
        name = f"server-{self._chance.randrange(min(self._servers, 500))}"
        if size != SMALL:
            name = f"large-{size}-{self._chance.randrange(many) if many else 0}"
        return f"{NAMESPACE}/{name}"

    def _signature(self, size: int) -> JsonObject:
        found: JsonObject = json.loads(self._ask(f"/api/v1/servers/{self._name(size)}/versions/latest"))
        return found

    def pages(self) -> Iterator[tuple[str, Making]]:
        chance = self._chance
        yield "page: changes", lambda: "/"
        yield "page: changes, moderate", lambda: "/?level=moderate"
        yield "page: servers", lambda: "/servers"
        yield "page: servers, word", lambda: f"/servers?q={chance.choice(NOUNS)}"
        yield "page: servers, name", lambda: f"/servers?q=server+{chance.randrange(self._servers)}"
        for size, many in SIZES:
            label = f"{size} tools"
            apart = "from=1.1.0&to=1.3.0" if size == SMALL else "from=1.0.0&to=1.2.0"
            name = partial(self._name, size, many)
            yield f"page: server, {label}", partial(_joined, "/servers/{}", name)
            yield f"page: version, {label}", partial(_joined, "/servers/{}/versions/1.2.0", name)
            yield f"page: compare, {label}", partial(_joined, "/servers/{}/compare", name)
            yield (
                f"page: compare far, {label}",
                partial(_joined, f"/servers/{{}}/compare?{apart}", name),
            )
            yield f"page: replacements, {label}", partial(_joined, "/servers/{}/replacements", name)
        huge = self._name(HUGE)
        yield "page: history, 15 tools", lambda: f"/servers/{self._name()}/versions"
        yield "page: history, 500 versions", lambda: f"/servers/{huge}/versions"
        yield "page: compare 1st and 500th", lambda: f"/servers/{huge}/compare?from=1.0.0"
        yield "page: search, nothing said", lambda: "/search"
        for label, query in self._searches():
            yield f"page: search, {label}", partial(_asking, "/search", query)
        yield "page: digest of a tool", lambda: f"/digests/{self._tool(SMALL)}"
        yield "page: digest of a signature", lambda: f"/digests/{self._digests[HUGE]['digest']}"
        yield "page: approvals", lambda: "/approvals"
        yield "page: approvals, staging", lambda: "/approvals?environment=staging"
        yield "page: log", lambda: "/log"
        yield "page: log, older", lambda: f"/log?before={chance.randrange(100, self._size)}"
        yield "page: log entry", lambda: f"/log/{chance.randrange(self._size)}"
        yield "page: login", lambda: "/login"
        yield "page: nothing there", lambda: "/nothing/here"

    def endpoints(self) -> Iterator[tuple[str, Making]]:
        chance = self._chance
        yield "api: servers", lambda: "/api/v1/servers"
        yield "api: servers, word", lambda: f"/api/v1/servers?q={chance.choice(NOUNS)}"
        for size, many in SIZES:
            label = f"{size} tools"
            apart = "from=1.1.0&to=1.3.0" if size == SMALL else "from=1.0.0&to=1.2.0"
            of_server = partial(_joined, "/api/v1/servers/{}", partial(self._name, size, many))
            for what, rest in (
                ("server", ""),
                ("versions", "/versions"),
                ("version", "/versions/latest"),
                *([("envelope", "/versions/latest/envelope")] if many else []),
                ("approvals", "/versions/latest/approvals"),
                ("proof", "/versions/latest/proof"),
                ("drift", f"/drift?{apart}"),
            ):
                yield f"api: {what}, {label}", partial(_added, of_server, rest)
        for label, query in self._searches():
            yield f"api: search, {label}", partial(_asking, "/api/v1/search", query)
        yield "api: digest of a tool", lambda: f"/api/v1/digests/{self._tool(SMALL)}"
        yield "api: digest of a signature", lambda: f"/api/v1/digests/{self._digests[HUGE]['digest']}"
        yield "api: changes", lambda: f"/api/v1/changes?after={chance.randrange(self._size - 500)}"
        yield "api: changes, moderate", lambda: "/api/v1/changes?level=moderate"
        yield "api: changes, one server", lambda: f"/api/v1/changes?target={quote(self._name(), safe='')}"
        yield "api: namespaces", lambda: "/api/v1/namespaces"
        yield "api: namespace", lambda: f"/api/v1/namespaces/{NAMESPACE}"
        yield "api: tokens", lambda: "/api/v1/tokens"
        yield "api: approvals", lambda: "/api/v1/approvals?environment=production"
        yield "api: approvals of a server", lambda: f"/api/v1/approvals?name={quote(self._name(), safe='')}"
        yield "api: environments", lambda: "/api/v1/environments"
        yield "api: watches", lambda: "/api/v1/watches"
        yield "api: changes in watches", lambda: "/api/v1/watches/changes"
        yield "api: webhooks", lambda: "/api/v1/webhooks"
        yield "api: checkpoint", lambda: "/checkpoint"
        yield "api: log key", lambda: "/api/v1/log/key"
        yield "api: inclusion", lambda: f"/api/v1/log/inclusion?index={chance.randrange(self._size)}"
        yield (
            "api: consistency",
            lambda: f"/api/v1/log/consistency?from={chance.randrange(1, self._size)}&to={self._size}",
        )
        yield "api: tile of entries", lambda: f"/tile/entries/{_tile(chance.randrange(self._size // 256))}"
        yield "api: tile of hashes", lambda: f"/tile/0/{_tile(chance.randrange(self._size // 256))}"
        yield "api: official servers", lambda: "/v0.1/servers"
        yield "api: official versions", lambda: f"/v0.1/servers/{quote(self._name(HUGE), safe='')}/versions"
        yield (
            "api: official version",
            lambda: f"/v0.1/servers/{quote(self._name(HUGE), safe='')}/versions/latest",
        )
        yield "api: feed", lambda: "/feed.atom"
        yield "api: description", lambda: "/api/v1/openapi.json"
        yield "api: health", lambda: "/healthz"
        yield "api: metrics", lambda: "/metrics"

    def _tool(self, size: int) -> str:
        digest: str = self._chance.choice(self._digests[size]["snapshot"]["tools"])["digest"]
        return digest

    def _searches(self) -> Iterator[tuple[str, Callable[[], dict[str, str]]]]:
        chance = self._chance
        yield (
            "name",
            lambda: {"tool": f"{chance.choice(VERBS)}_{chance.choice(NOUNS)}_{chance.randrange(500)}"},
        )
        yield "rare word", lambda: {"q": chance.choice(WORDS)}
        yield "common word", lambda: {"q": chance.choice(VERBS)}
        yield "two words", lambda: {"q": f"{chance.choice(VERBS)} {chance.choice(NOUNS)}"}
        yield "five words", lambda: {"q": f"the and more {chance.choice(VERBS)} {chance.choice(WORDS)}"}
        yield (
            "five common words",
            lambda: {"q": f"the and more use {chance.choice(VERBS)} {chance.choice(NOUNS)}"},
        )
        yield "words nobody has", lambda: {"q": f"{chance.choice(VERBS)} unheard-of{chance.randrange(99)}"}
        yield "argument", lambda: {"argument": chance.choice(ARGUMENTS), "type": "string"}
        yield "argument, high risk", lambda: {"argument": "path", "type": "string", "risk": "high"}
        yield "only reads, no secret", lambda: {"annotation": "readOnlyHint:true", "secrets": "none"}
        yield "risk", lambda: {"risk": chance.choice(("low", "medium", "high"))}
        yield "kind nobody has", lambda: {"kind": "template"}
        yield (
            "all at once",
            lambda: {
                "q": chance.choice(NOUNS),
                "argument": "query",
                "type": "string",
                "risk": "low",
                "kind": "tool",
            },
        )


def _joined(pattern: str, name: Making) -> str:
    return pattern.format(name())


def _added(path: Making, rest: str) -> str:
    return path() + rest


def _asking(path: str, query: Callable[[], dict[str, str]]) -> str:
    values = query()
    if path.startswith("/api"):
        # Programs say it in their own words.
        values = {"text" if name == "q" else name: value for name, value in values.items()}
        if kind := values.pop("type", ""):
            values["argument"] += f":{kind}"
    return f"{path}?{urlencode(values)}"


def _tile(number: int) -> str:
    return f"{number:03}" if number < 1000 else f"x{number // 1000:03}/{number % 1000:03}"


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
