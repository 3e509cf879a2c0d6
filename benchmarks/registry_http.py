"""Publications over HTTP: `avow registry serve` as people start it, 32 connections, real keys and tokens.

An empty registry and a full one run side by side and are measured in turns, so that what else the machine
does slows both. What the service uses is told apart from what this client and a database beside it use.
"""

import asyncio
import base64
import json
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import uvloop
from registry_machine import cpu_seconds, resident
from registry_material import SIGNER, releases

from avow.core.canonical import JsonObject
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.proofs import verify_inclusion
from avow.registry import tokens
from avow.registry.model import Role
from avow.registry.opening import KEY, ORIGIN
from avow.registry.store.opening import open_store
from avow.system.keys import write_key_pair
from registry_running import Program, program

AT_ONCE = 32
WARMING = 300
TURN = 250
PATIENCE = 120
# The bars: publications a second, how much slower a full registry may be, megabytes.
LEAST, MOST_RATIO, MOST_MEMORY = 400.0, 1.3, 200.0


@dataclass(frozen=True)
class Answered:
    """One answer: how long it took, and what it says."""

    seconds: float
    status: int
    body: bytes


@dataclass
class Measured:
    """Publications so far: how many, how long each took, and the seconds that everybody has computed."""

    count: int = 0
    whole: float = 0.0
    single: list[float] = field(default_factory=list)
    used: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def add(self, answers: list[Answered], whole: float, used: tuple[float, float, float]) -> None:
        self.count += len(answers)
        self.whole += whole
        self.single += [each.seconds * 1_000 for each in answers]
        service, client, database = (mine + more for mine, more in zip(self.used, used, strict=True))
        self.used = (service, client, database)

    @property
    def rate(self) -> float:
        return self.count / self.whole

    @property
    def work(self) -> float:
        """Milliseconds that the service and its database computed for one."""
        service, _, database = self.used
        return (service + database) / self.count * 1_000

    def __str__(self) -> str:
        service, client, database = (seconds / self.count * 1_000 for seconds in self.used)
        beside = f", database {database:.2f} ms" if database > 0.05 else ""
        median, p95 = statistics.median(self.single), sorted(self.single)[int(self.count * 0.95)]
        return (
            f"{self.rate:4.0f}/s, median {median:5.1f} ms, p95 {p95:5.1f} ms; computing for each: "
            f"service {service:.2f} ms{beside}, client {client:.2f} ms"
        )


class Connection(asyncio.Protocol):
    """One connection that asks, reads the answer, and asks again."""

    def __init__(self, requests: Iterator[bytes], answers: list[Answered]) -> None:
        self._requests = requests
        self._answers = answers
        self._data = b""
        self._began = 0.0
        self.is_done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, separator, body = self._data.partition(b"\r\n\r\n")
        if not separator:
            return
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if len(body) >= int(length):
            status = int(head.split(None, 2)[1])
            self._answers.append(Answered(time.perf_counter() - self._began, status, body))
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.is_done.done():
            self.is_done.set_exception(exc or ConnectionError("the service closed the connection"))

    def _ask(self) -> None:
        request = next(self._requests, None)
        self._data, self._began = b"", time.perf_counter()
        if request is None:
            self.is_done.set_result(None)
            self._transport.close()
        else:
            self._transport.write(request)


class Registry:
    """A running service, and a token to publish with."""

    def __init__(self, running: Program, token: str) -> None:
        self._process = running.process.pid
        self._token = token
        self._host, _, port = running.url.removeprefix("http://").partition(":")
        self._port = int(port)

    def publish(self, sent: list[bytes], measured: Measured) -> None:
        """Publish all, thirty-two at a time, and check what the answers prove."""
        requests = [self._request(each) for each in sent]
        before = self._used()
        began = time.perf_counter()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            answers = runner.run(self._answers(iter(requests)))
        whole = time.perf_counter() - began
        service, client, database = (
            after - earlier for after, earlier in zip(self._used(), before, strict=True)
        )
        for each in answers:
            check(each)
        measured.add(answers, whole, (service, client, database))

    def memory(self) -> list[float]:
        """The megabytes of each process of the service."""
        return list(resident(self._process).values())

    def _request(self, data: bytes) -> bytes:
        head = (
            f"POST /api/v1/publish HTTP/1.1\r\nhost: {self._host}:{self._port}\r\n"
            f"authorization: Bearer {self._token}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(data)}\r\n\r\n"
        )
        return head.encode() + data

    async def _answers(self, requests: Iterator[bytes]) -> list[Answered]:
        loop, answers = asyncio.get_running_loop(), list[Answered]()

        async def connection() -> None:
            _, protocol = await loop.create_connection(
                lambda: Connection(requests, answers), self._host, self._port
            )
            await protocol.is_done

        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(connection() for _ in range(AT_ONCE)))
        return answers

    def _used(self) -> tuple[float, float, float]:
        """Seconds of the service, of this process, and of whatever else it started: a database."""
        service, own = cpu_seconds(self._process), time.process_time()
        return service, own, cpu_seconds(os.getpid()) - service - own


def check(answer: Answered) -> None:
    """It was published just now, and the proof leads to the root."""
    document: JsonObject = json.loads(answer.body)
    assert answer.status == 201, document
    proof = document["proof"]
    hashes = [base64.b64decode(each) for each in proof["hashes"]]
    leaf = leaf_hash(proof["entry"].encode())
    verify_inclusion(leaf, proof["index"], proof["size"], hashes, base64.b64decode(proof["root"]))


@contextmanager
def served(directory: Path, address: str) -> Iterator[Registry]:
    """A service on a store that was opened with the key of the benchmark."""
    data = directory / "data"
    data.mkdir(parents=True)
    write_key_pair(data / KEY, SIGNER.key)
    (data / ORIGIN).write_text(f"{SIGNER.name}\n")
    token = asyncio.run(publisher(address))
    with program(directory, "--database", address) as running:
        yield Registry(running, token)


async def publisher(address: str) -> str:
    """A token to publish with."""
    store = await open_store(address, SIGNER)
    try:
        return (await tokens.issue(store, "publisher", Role.PUBLISH, datetime.now(UTC))).text
    finally:
        await store.close()


def measure_http(kind: str, registries: dict[str, Registry], prefix: str, count: int) -> list[str]:
    """Publish to each in turn; the bars that were missed, in words."""
    for registry in registries.values():
        for _, sent in releases(f"{prefix}-warm", WARMING):
            registry.publish(sent, Measured())
    missed = []
    for what, sent in releases(prefix, count):
        measured = {label: Measured() for label in registries}
        for first in range(0, count, TURN):
            for label, registry in registries.items():
                registry.publish(sent[first : first + TURN], measured[label])
        for label, each in measured.items():
            print(f"  {label:5}: {what:14} {each}", flush=True)
            if each.rate < LEAST:
                missed.append(f"{kind}: {label}: {what}: {each.rate:.0f}/s")
        if "full" in measured:
            empty, full = measured["empty"], measured["full"]
            ratio, work = empty.rate / full.rate, full.work / empty.work
            print(f"  full : {what:14} {ratio:.2f} times as slow as empty, {work:.2f} times the computing")
            if ratio > MOST_RATIO:
                missed.append(f"{kind}: {what}: {ratio:.2f} times as slow when full")
    for label, registry in registries.items():
        parts = registry.memory()
        print(f"  {label:5}: {sum(parts):.0f} MB resident: {', '.join(f'{each:.0f}' for each in parts)}")
        if sum(parts) > MOST_MEMORY:
            missed.append(f"{kind}: {label}: {sum(parts):.0f} MB")
    return missed
