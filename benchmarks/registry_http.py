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
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import uvloop
from registry_machine import cpu_seconds, resident
from registry_material import SIGNER, releases

from avow.core.canonical import JsonObject
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.proofs import verify_inclusion
from avow.registry.opening import KEY, ORIGIN
from avow.system.keys import write_key_pair
from registry_running import Program, program

AT_ONCE = 32
WARMING = 300
PATIENCE = 120
# The bars: publications a second, how much slower a full registry may be, megabytes.
LEAST, MOST_RATIO, MOST_MEMORY = 400.0, 1.3, 200.0


@dataclass(frozen=True)
class Answered:
    """One answer: how long it took, and what it says."""

    seconds: float
    status: int
    body: bytes


@dataclass(frozen=True)
class Measured:
    """A thousand publications or so; milliseconds of computing are for one of them."""

    rate: float
    median: float
    p95: float
    service: float
    client: float
    database: float

    def __str__(self) -> str:
        beside = f", database {self.database:.2f} ms" if self.database > 0.05 else ""
        return (
            f"{self.rate:4.0f}/s, median {self.median:5.1f} ms, p95 {self.p95:5.1f} ms; computing for each: "
            f"service {self.service:.2f} ms{beside}, client {self.client:.2f} ms"
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

    def __init__(self, running: Program) -> None:
        self._process = running.process.pid
        self._host, _, port = running.url.removeprefix("http://").partition(":")
        self._port = int(port)
        asked = urllib.request.Request(
            f"{running.url}/api/v1/tokens",
            json.dumps({"person": "publisher", "role": "publish"}).encode(),
            {"authorization": f"Bearer {running.token}", "content-type": "application/json"},
        )
        with urllib.request.urlopen(asked) as answer:
            self._token = json.load(answer)["token"]

    def publish(self, sent: list[bytes]) -> Measured:
        """Publish all, thirty-two at a time, and check what the answers prove."""
        requests = [self._request(each) for each in sent]
        before = self._used()
        began = time.perf_counter()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            answers = runner.run(self._answers(iter(requests)))
        whole = time.perf_counter() - began
        service, client, database = (
            (after - earlier) / len(sent) * 1_000 for after, earlier in zip(self._used(), before, strict=True)
        )
        for each in answers:
            check(each)
        single = sorted(each.seconds * 1_000 for each in answers)
        median, p95 = statistics.median(single), single[int(len(single) * 0.95)]
        return Measured(len(sent) / whole, median, p95, service, client, database)

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
    with program(directory, "--database", address) as running:
        yield Registry(running)


def measure_http(kind: str, registries: dict[str, Registry], prefix: str, count: int) -> list[str]:
    """Publish to each in turn; the bars that were missed, in words."""
    for registry in registries.values():
        for _, sent in releases(f"{prefix}-warm", WARMING):
            registry.publish(sent)
    missed = []
    for what, sent in releases(prefix, count):
        measured = {label: registry.publish(sent) for label, registry in registries.items()}
        for label, each in measured.items():
            print(f"  {label}: {what:14} {each}", flush=True)
        if (slowest := min(each.rate for each in measured.values())) < LEAST:
            missed.append(f"{kind}: {what}: {slowest:.0f}/s")
        if "full" in measured:
            empty, full = measured["empty"], measured["full"]
            ratio, work = empty.rate / full.rate, _work(full) / _work(empty)
            print(
                f"  {what:14} on a full registry: {ratio:.2f} times as slow, {work:.2f} times the computing"
            )
            if ratio > MOST_RATIO:
                missed.append(f"{kind}: {what}: {ratio:.2f} times as slow when full")
    for label, registry in registries.items():
        parts = registry.memory()
        print(f"  {label}: {sum(parts):.0f} MB resident: {', '.join(f'{each:.0f}' for each in parts)}")
        if sum(parts) > MOST_MEMORY:
            missed.append(f"{kind}: {label}: {sum(parts):.0f} MB")
    return missed


def _work(measured: Measured) -> float:
    return measured.service + measured.database
