"""The client and a real registry: what it says is proved, remembered, and missed when it is changed."""

import asyncio
import random
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue

import pytest
import uvicorn

from avow.core import dsse
from avow.core.canonical import Digest, JsonObject
from avow.core.publication import PUBLICATION_TYPE, publication_payload
from avow.core.tlog.auditing import verify_log
from avow.core.tlog.checkpoint import open_checkpoint
from avow.errors import AvowError, RegistryUnavailableError, VerificationError
from avow.registry.app import create_app
from avow.registry.opening import Place as Located
from avow.registry.opening import open_service
from avow.registry.settings import Settings
from avow.registry.store.log import place as node_place
from avow.registry.tokens import first_token
from avow.system.registry_approvals import Asking, ask
from avow.system.registry_client.administration import RegistryAdministration
from avow.system.registry_client.approved_state import Approved
from avow.system.registry_client.contact import ForkError, meet
from avow.system.registry_client.proving import (
    verified_entry,
    verified_publication,
    verified_publications_of,
    verify_nothing_hidden,
    verify_whole_log,
)
from avow.system.registry_client.remembered import Memory
from avow.system.registry_client.transport import RefusedError
from small_registry import NAME, PUBLISHER, tool
from small_server import snapshot

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, started: "SimpleQueue[uvicorn.Server | Exception]") -> None:
        super().__init__(config)
        self.queue = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.queue.put(self)


@dataclass
class Place:
    """A registry's directory, the port it always has, and its administrator's token."""

    data: Path
    port: int = 0
    token: str = ""

    @contextmanager
    def served(self) -> Iterator[RegistryAdministration]:
        """Serve it from a thread: what `avow registry serve` serves, without a start each time."""
        started: SimpleQueue[uvicorn.Server | Exception] = SimpleQueue()

        async def serve() -> None:
            service = await open_service(Located(self.data), Settings(), "log.example")
            try:
                first = await first_token(service.store, service.clock())
                self.token = first.text if first is not None else self.token
                config = uvicorn.Config(create_app(service), port=self.port, log_config=None, lifespan="on")
                server = Server(config, started)
                await server.serve()
            finally:
                await service.store.close()

        def run() -> None:
            try:
                asyncio.run(serve())
            except Exception as exc:  # noqa: BLE001  raised again where the test waits
                started.put(exc)

        thread = threading.Thread(target=run)
        thread.start()
        server = started.get(timeout=30)
        if isinstance(server, Exception):
            raise server
        self.port = server.servers[0].sockets[0].getsockname()[1]
        try:
            with self.client() as client:
                yield client
        finally:
            server.should_exit = True
            thread.join(timeout=30)

    def client(self) -> RegistryAdministration:
        return RegistryAdministration(f"http://127.0.0.1:{self.port}", self.token)

    def memory(self) -> Memory:
        return Memory.of(f"http://127.0.0.1:{self.port}", self.data / "memory")

    def rewrite(self, statement: str, *values: object) -> None:
        """What somebody can do who has the file."""
        with closing(sqlite3.connect(self.data / "registry.sqlite")) as database, database:
            assert database.execute(statement, values).rowcount == 1


def publish(client: RegistryAdministration, version: str, *tools: JsonObject) -> JsonObject:
    payload = publication_payload(NAME, version, snapshot(list(tools)))
    return client.publish(dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [PUBLISHER])))


def fill(client: RegistryAdministration) -> None:
    """Entry 0 is the namespace, 1 and 2 are publications, 3 is a decision."""
    client.claim(NAME.namespace, PUBLISHER.public)
    publish(client, "1.0.0", tool("read"))
    publish(client, "1.1.0", tool("read"), tool("write"))
    decision = {"name": str(NAME), "version": "1.0.0", "environment": "production", "state": "approved"}
    client.decide({**decision, "reason": "looked at it"})


def test_what_was_published_is_proved_from_the_signature_to_the_root(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.served() as client:
        fill(client)
        contact = meet(client, place.memory(), NOW)
        found = verified_publication(client, contact.checkpoint, NAME, "latest")
        digest = Digest(client.version(NAME, "1.0.0")["digest"])

        assert contact.is_first
        assert contact.checkpoint.checkpoint.size == 4
        assert found.entry.version == "1.1.0"
        assert list(found.publication.snapshot.signature.tools) == ["read", "write"]
        [(holder, index)] = verified_publications_of(client, contact.checkpoint, digest)
        assert (holder.version, index) == ("1.0.0", 1)
        whole = verify_whole_log(client, contact.checkpoint)
        assert whole.types == {"namespace": 1, "publication": 2, "approval": 1}
        verify_nothing_hidden(client, whole)

        again = publish(client, "1.0.0", tool("read"))
        assert again["isNew"] is False
        assert publish(client, "1.2.0", tool("read"))["logIndex"] == 4
        assert not meet(client, place.memory(), NOW).is_first
        with pytest.raises(RefusedError) as caught:
            client.version(NAME, "9.9.9")
        assert caught.value.status == 404


def approved(client: RegistryAdministration, place: Place, environment: str, now: datetime = NOW) -> Approved:
    return ask(Asking(client, place.memory(), environment, now), NAME).approved


def test_what_is_approved_outlives_the_registry(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.served() as client:
        fill(client)
        before = approved(client, place, "production")
        assert [each.version for each in before.versions] == ["1.0.0"]

    with place.client() as client:
        after = approved(client, place, "production", NOW + timedelta(hours=3))
        with pytest.raises(RegistryUnavailableError):
            approved(client, place, "staging")

    assert after.is_offline
    assert after.age(NOW + timedelta(hours=3)) == timedelta(hours=3)
    assert (after.versions, after.publication) == (before.versions, before.publication)


def test_a_leaf_that_is_rewritten_in_the_database_is_noticed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.served() as client:
        fill(client)
        meet(client, place.memory(), NOW)
    place.rewrite(
        "UPDATE log_entries SET entry = CAST(replace(entry, '1.0.0', '1.0.1') AS BLOB) WHERE number = 1"
    )

    with place.served() as client:
        contact = meet(client, place.memory(), NOW)
        with pytest.raises(VerificationError, match="does not show that entry 1"):
            verified_entry(client, contact.checkpoint, 1)
        with pytest.raises(VerificationError, match="entry 1"):
            verify_whole_log(client, contact.checkpoint)


def test_a_rejection_that_is_taken_out_of_the_database_is_noticed(tmp_path: Path) -> None:
    """By whoever has seen it, by whoever reads the log from now on, and by whoever reads all of it."""
    place = Place(tmp_path)
    with place.served() as client:
        fill(client)
        decision = {"name": str(NAME), "version": "1.0.0", "environment": "production", "state": "rejected"}
        client.decide({**decision, "reason": "looked again"})
        assert approved(client, place, "production").versions == ()
    place.rewrite("DELETE FROM approvals WHERE state = 'rejected'")

    with place.served() as client:
        with pytest.raises(ForkError, match="leaves out entry 4 of its log"):
            approved(client, place, "production")
        stranger = Memory.of(client.url, tmp_path / "stranger")
        with pytest.raises(ForkError, match="leaves out entry 4 of its log"):
            ask(Asking(client, stranger, "production", NOW), NAME)
        whole = verify_whole_log(client, meet(client, place.memory(), NOW).checkpoint)
        with pytest.raises(VerificationError, match="leave out entry 4 of its log"):
            verify_nothing_hidden(client, whole)


def test_a_registry_that_begins_anew_with_the_same_key_is_refused(tmp_path: Path) -> None:
    """Nothing is wrong with the new log, except that it is not the old one."""
    place = Place(tmp_path)
    with place.served() as client:
        fill(client)
        meet(client, place.memory(), NOW)
    for file in tmp_path.glob("registry.sqlite*"):
        file.unlink()

    with place.served() as client:
        with pytest.raises(ForkError, match="DO NOT TRUST"):
            meet(client, place.memory(), NOW)
        fill(client)
        publish(client, "1.2.0", tool("read"))
        with pytest.raises(ForkError, match="cannot prove that its 5 entries begin with the 4 known ones"):
            meet(client, place.memory(), NOW)
    assert len(list((place.memory().directory / "evidence").iterdir())) == 2


def test_no_bit_of_the_log_in_a_real_database_changes_unnoticed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.served() as client:
        fill(client)
        key = client.log_key()
    with closing(sqlite3.connect(tmp_path / "registry.sqlite")) as database:
        entries = database.execute("SELECT entry FROM log_entries ORDER BY number").fetchall()
        hashes = database.execute("SELECT place, hash FROM log_nodes ORDER BY place").fetchall()
        [*_, (size, root, note)] = database.execute(
            "SELECT size, root, note FROM log_checkpoints ORDER BY size"
        )
    places = [number for number, _ in hashes]
    rows = [*(entry for (entry,) in entries), *(value for _, value in hashes), root, note]

    def check(rows: list[bytes]) -> None:
        *stored, root, note = rows
        signed = open_checkpoint(note, key).checkpoint
        known = dict(zip(places, stored[size:], strict=True))
        verify_log(size, signed.root, stored[:size], lambda node: known[node_place(node)])
        if (signed.size, signed.root) != (size, root):
            raise VerificationError("the checkpoint is not the one that was signed")

    check(rows)
    chance = random.Random(9162)
    for _ in range(3000):
        row = chance.randrange(len(rows))
        bit = chance.randrange(8 * len(rows[row]))
        changed = bytearray(rows[row])
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(AvowError):
            check([*rows[:row], bytes(changed), *rows[row + 1 :]])
