"""What the benchmarks of the registry publish: made-up tools, signed envelopes, a registry full of them."""

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

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
from avow.registry.model import Counts, Needs
from avow.registry.store.interface import Store
from avow.registry.store.packing import pack, squeeze
from avow.registry.store.prepared import Prepared, PreparedCapability

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


def releases(prefix: str, count: int) -> Iterator[tuple[str, list[bytes]]]:
    """Envelopes of first versions, of releases with the same tools, and with one of six tools reworded."""
    chance = random.Random(prefix)
    names = [ServerName(NAMESPACE, f"{prefix}-{number}") for number in range(count)]
    tools = [[tool(chance, number * 10 + place) for place in range(6)] for number in range(count)]
    versions = {
        "first versions": ("1.0.0", tools),
        "same tools": ("1.1.0", tools),
        "one reworded": ("1.2.0", [reworded(own) for own in tools]),
    }
    for what, (version, offered) in versions.items():
        yield what, [envelope(name, version, snapshot(own)) for name, own in zip(names, offered, strict=True)]
