"""One flipped bit at a time in what a registry sends, and whether a client believes it.

Everything that the client fetches for a task is recorded from a real registry. Then a bit of one answer is
flipped and the task is done again. A flip is `detected` when the client refuses, `harmless` when what the
client learns is the same to the last word, and `undetected` when it believes something else. What a receipt
says beside what it proves (counts, needs, the version before) is counted as `said, not proved`.
"""

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from avow.core import dsse
from avow.core.canonical import canonical, parse_json
from avow.core.drift.compare import diff
from avow.core.drift.model import drift_document, highest
from avow.core.keys import KeyId
from avow.core.publication import ServerName, read_publication
from avow.core.tlog.checkpoint import VerifiedCheckpoint, open_checkpoint
from avow.errors import AvowError, PeerProtocolError, VerificationError
from avow.system.registry_approvals import Asking, ask, judge
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import meet
from avow.system.registry_client.proving import (
    verified_entry,
    verified_publication,
    verified_publications_of,
    verify_whole_log,
)
from avow.system.registry_client.receipts import verify_receipt
from avow.system.registry_client.remembered import Memory, Remembered
from avow.system.registry_client.witnessing import require_witnesses
from registry_running import NAME, Running
from registry_store_flips import DETECTED, HARMLESS, UNDETECTED, UNPROVED, Tally, flipped
from registry_story import LOG_KEY, OTHER, WITNESS_KEY

URL = "http://127.0.0.1"
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@dataclass
class Task:
    """Something a client does, by which everything it learns can be compared; and the answers it gets."""

    kind: str
    do: Callable[..., Any]
    answers: dict[str, bytes] = field(default_factory=dict)
    result: Any = None


class MissingError(Exception):
    """The client asks for something that was not recorded yet."""


@dataclass
class Recorded(httpx.BaseTransport):
    """Answers from a list; to what is asked for because of a flip, those of the honest registry."""

    answers: dict[str, bytes]
    honest: dict[str, bytes] | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        place = request.url.raw_path.decode()
        if place in self.answers:
            return httpx.Response(200, content=self.answers[place])
        if self.honest is None:
            raise MissingError(place)
        if place in self.honest:
            return httpx.Response(200, content=self.honest[place])
        return httpx.Response(404, json={"detail": "there is no such thing"})


async def tasks(registry: Running, receipts: list[bytes], directory: Path) -> list[Task]:
    """Everything a client proves, recorded from a registry with a story."""
    store = registry.service.store
    newest, older = await store.checkpoint(), await store.checkpoint(3)
    assert newest is not None
    assert older is not None
    known = open_checkpoint(newest.note, LOG_KEY)
    before = Remembered(LOG_KEY, open_checkpoint(older.note, LOG_KEY), NOW)
    names = [ServerName.read(NAME), ServerName.read(OTHER)]
    versions = [(str(each.name), each.version) for name in names for each in await store.versions(name)]
    found = [Task("checkpoint, consistency", partial(_meet, before))]
    found += [Task("tiles, bundles", partial(_whole, known))] * 3
    found += [Task("inclusion", partial(_entry, known, index)) for index in range(newest.size)]
    for name, version in versions:
        found.append(Task("version, envelope", partial(_publication, known, ServerName.read(name), version)))
        one = await store.version(ServerName.read(name), version)
        assert one is not None
        found.append(Task("holders", partial(_holders, known, one.digest)))
    for place in ("production", "staging"):
        found.append(Task("approvals (check --registry)", partial(_standing, before, names[0], place)))
    recorded = [await _recorded(each, registry, directory) for each in found]
    for receipt in receipts:
        document = parse_json(receipt)
        envelope = await store.envelope(ServerName.read(document["name"]), document["version"])
        assert envelope is not None
        task = Task("publish answers", partial(_receipt, envelope), {"receipt": receipt})
        task.result = _receipt(envelope, receipt)
        recorded.append(task)
    for before_version, after_version in (("1.0.0", "1.1.0"), ("1.1.0", "1.2.0"), ("1.0.0", "1.2.0")):
        task = Task("drift", partial(_drift, known, names[0], before_version, after_version))
        recorded.append(await _recorded(task, registry, directory))
    return recorded


async def _recorded(task: Task, registry: Running, directory: Path) -> Task:
    with RegistryClient(URL, over=Recorded(task.answers)) as client:
        while True:
            try:
                task.result = perform(task, client, directory)
            except MissingError as missing:
                task.answers[str(missing)] = (await registry.get(str(missing))).raise_for_status().content
            else:
                return task


def perform(task: Task, client: RegistryClient, directory: Path) -> Any:
    """Do the task once, with a memory that is always the same; receipts are at hand without asking."""
    if "receipt" in task.answers:
        return task.do(task.answers["receipt"])
    return task.do(client, Memory.of(client.url, directory))


def flip_answers(
    everything: list[Task], flips: int, chance: random.Random, tally: Tally, directory: Path, label: str
) -> None:
    """Flip bits of answers: each kind of task equally often, and of each task each answer."""
    kinds: dict[str, list[Task]] = {}
    for task in everything:
        kinds.setdefault(task.kind, []).append(task)
    honest = {place: answer for task in everything for place, answer in task.answers.items()}
    transport = Recorded({}, honest)
    with RegistryClient(URL, over=transport) as client:
        for number in range(flips):
            task = chance.choice(list(kinds.values())[number % len(kinds)])
            place = chance.choice(sorted(task.answers))
            data = task.answers[place]
            bit = chance.randrange(8 * len(data))
            transport.answers = {**task.answers, place: flipped(data, bit)}
            try:
                result = perform(replace(task, answers=transport.answers), client, directory)
            except AvowError:
                tally.add(f"{label}: {task.kind}", DETECTED)
            else:
                what = f"{urlsplit(place).path}, bit {bit}: {data[max(0, bit // 8 - 30) : bit // 8 + 10]!r}"
                tally.add(f"{label}: {task.kind}", _outcome(task.result, result), what)


def _outcome(before: Any, after: Any) -> str:
    if before == after:
        return HARMLESS
    if isinstance(before, Receipt) and before.proved == after.proved:
        return UNPROVED
    return UNDETECTED


def _meet(before: Remembered, client: RegistryClient, memory: Memory) -> Any:
    memory.file.unlink(missing_ok=True)
    memory.remember(before)
    contact = meet(client, memory, NOW, key=LOG_KEY)
    return contact.checkpoint.checkpoint, require_witnesses(client, memory, contact, [WITNESS_KEY], 1, NOW)


def _whole(known: VerifiedCheckpoint, client: RegistryClient, _: Memory) -> Any:
    return verify_whole_log(client, known)


def _entry(known: VerifiedCheckpoint, index: int, client: RegistryClient, _: Memory) -> Any:
    return verified_entry(client, known, index)


def _publication(
    known: VerifiedCheckpoint, name: ServerName, version: str, client: RegistryClient, _: Memory
) -> Any:
    return verified_publication(client, known, name, version)


def _holders(known: VerifiedCheckpoint, digest: Any, client: RegistryClient, _: Memory) -> Any:
    return list(verified_publications_of(client, known, digest))


def _standing(
    before: Remembered, name: ServerName, environment: str, client: RegistryClient, memory: Memory
) -> Any:
    shutil.rmtree(memory.directory, ignore_errors=True)
    memory.remember(before)
    asking = Asking(client, memory, environment, NOW, LOG_KEY)
    return judge(asking, ask(asking, name), None)


def _receipt(envelope: bytes, receipt: bytes) -> Any:
    opened = dsse.loads(envelope)
    sent, key = read_publication(opened.payload), KeyId(opened.signatures[0].identifier)
    document = parse_json(receipt)
    if not isinstance(document, dict):
        raise PeerProtocolError("this is no answer")
    entry = verify_receipt(document, sent, key, URL, LOG_KEY)
    return Receipt((entry, document["digest"], document["logIndex"], document["isNew"]), document)


@dataclass
class Receipt:
    """What is told to a person, all of it proved; and the whole answer, which a program may be shown."""

    proved: tuple[Any, ...]
    whole: Any


def _drift(
    known: VerifiedCheckpoint, name: ServerName, before: str, after: str, client: RegistryClient, _: Memory
) -> Any:
    """What is said of a drift is compared with that of the two snapshots, both as they were signed."""
    said = client.get_json(f"api/v1/servers/{name}/drift", {"from": before, "to": after})
    one, other = (verified_publication(client, known, name, each).publication for each in (before, after))
    drifts = diff(one.snapshot, other.snapshot)
    worst = highest(drifts)
    computed = {
        "digest": {"approved": one.snapshot.signature.digest, "observed": other.snapshot.signature.digest},
        "drift": [drift_document(each) for each in drifts],
        "highest": None if worst is None else str(worst),
    }
    if canonical(said) != canonical(json.loads(json.dumps(computed))):
        raise VerificationError("the drift is another one")
    return said
