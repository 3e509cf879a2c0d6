"""The private key of the log is lost: what was recorded can be read and proved, also by who comes late."""

import sqlite3
from pathlib import Path

import asyncpg
import httpx
import pytest

from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.notes import read_verifier_key
from avow.errors import StorageError
from avow.registry.app import create_app
from avow.registry.opening import Place, open_service
from avow.registry.settings import Settings
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
