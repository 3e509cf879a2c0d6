"""The private key of the log is lost: what was recorded can be read and proved, also by who comes late."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import asyncpg
import httpx
import pytest

from avow.core.severity import Severity
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.notes import read_verifier_key
from avow.errors import StorageError
from avow.registry import tokens
from avow.registry.app import create_app
from avow.registry.model import Role, Webhook
from avow.registry.opening import Place, open_service
from avow.registry.settings import Settings
from avow.registry.store.base import SqlStore
from registry_samples import claimed
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio


async def test_a_reader_who_comes_when_the_key_is_lost_still_learns_whose_log_it_is(
    address: str, tmp_path: Path
) -> None:
    """The public key is in the database, and everything that it proves."""
    place = Place(tmp_path / "data", address)
    whole = await open_service(place, Settings(), "log.example")
    await claimed(whole.store)
    await whole.store.close()
    (place.data / "log.key").unlink()

    service = await open_service(place, Settings())
    try:
        transport = httpx.ASGITransport(create_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            told = (await client.get("/api/v1/log/key")).json()
            note = (await client.get("/checkpoint")).content
    finally:
        await service.store.close()

    assert told == {"origin": "log.example", "key": whole.log_key}
    assert open_checkpoint(note, read_verifier_key(told["key"])).checkpoint.size == 1
    await _damage_key(address)
    with pytest.raises(StorageError, match="the key of the log is damaged"):
        await open_service(place, Settings())


async def test_without_the_key_nothing_is_changed_that_would_look_tampered_with_when_it_is_back(
    address: str, tmp_path: Path
) -> None:
    place = Place(tmp_path / "data", address)
    service = await open_service(place, Settings(), "log.example")
    await claimed(service.store)
    now = service.clock()
    token = await tokens.issue(service.store, "Ada", Role.READ, now)
    hook = Webhook(
        "hook", "Ada", "https://ada.example", b"secret", ("io.github.owner/*",), Severity.INFO, now
    )
    await service.store.add_webhook(hook)
    await service.store.close()
    key = (place.data / "log.key").read_bytes()
    (place.data / "log.key").unlink()

    service = await open_service(place, Settings())
    with pytest.raises(StorageError, match="the key that signs the log is not there"):
        await service.store.revoke_token(token.token.id, now)
    assert await service.store.lease_webhooks(now, now + timedelta(minutes=1), 10) == ()
    await service.store.close()
    (place.data / "log.key").write_bytes(key)
    (place.data / "log.key").chmod(0o600)

    service = await open_service(place, Settings())
    assert isinstance(service.store, SqlStore)
    assert [await service.store.broken_seals(table) for table in ("tokens", "webhooks")] == [[], []]
    await service.store.close()


async def _damage_key(address: str) -> None:
    sql = "UPDATE registry_log SET verifier = 'nobody'"
    if address.startswith("sqlite"):
        with sqlite3.connect(address.removeprefix("sqlite:///")) as connection:
            connection.execute(sql)
        connection.close()
    else:
        other = await asyncpg.connect(address)
        await other.execute(sql)
        await other.close()
