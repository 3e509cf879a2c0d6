"""A store is a function of its log: whatever is changed behind its back is found."""

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from avow.core.publication import ServerName
from avow.registry.auditing import audit
from avow.registry.model import Approval, ApprovalState
from avow.registry.publishing import publish
from avow.registry.store.base import SqlStore
from avow.registry.store.dumping import KEYS
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from registry_samples import (
    FILES,
    KEY,
    NAMESPACE,
    NOW,
    OTHER_KEY,
    READ,
    SIGNER,
    WRITE,
    claimed,
    envelope,
    snapshot,
    tool,
)
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
FLIPS = 40
# All of an argument or an annotation is its key: those are found missing, or too many.
TABLES = [table for table in KEYS if table not in ("arguments", "annotations")]


async def problems(store: Store) -> list[str]:
    assert isinstance(store, SqlStore)
    return [each async for each in audit(store, SIGNER.verifier())]


async def story(store: Store) -> None:
    """A little of everything that a registry records."""
    other = ServerName(NAMESPACE, "other")
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "2"), NOW)
    await publish(store, envelope(snapshot(WRITE, prompts=[{"name": "ask"}]), "1", other), NOW)
    found = await store.version(FILES, "2")
    assert found is not None
    state = ApprovalState.APPROVED
    await store.decide(Approval(FILES, "2", found.digest, "production", state, "ann", "fine", NOW))
    revoke = [KEY.public.identifier]
    await store.change_keys(NAMESPACE, "admin", NOW, add=[OTHER_KEY.public], revoke=revoke)
    await publish(store, envelope(snapshot(tool("x", when="string")), "3", key=OTHER_KEY), NOW)


async def test_a_good_store_has_no_problems(store: Store) -> None:
    """In either database: computed again, it is the same to the last row."""
    await story(store)
    assert await problems(store) == []


async def test_every_flipped_bit_of_a_row_is_found(tmp_path: Path) -> None:
    """One bit of one value of one row of any table that follows from the log."""
    path = tmp_path / "registry.db"
    store = await claimed(await open_store(f"sqlite:///{path}", SIGNER))
    await story(store)
    chance = random.Random(7)
    connection = sqlite3.connect(path)
    try:
        for _ in range(FLIPS):
            table = chance.choice(TABLES)
            column, rowid, value = _some_value(connection, table, chance)
            flipped = _flipped(value, chance)
            _set(connection, table, column, rowid, flipped)
            assert await problems(store), (table, column, value, flipped)
            _set(connection, table, column, rowid, value)
        assert await problems(store) == []
    finally:
        connection.close()
        await store.close()


def _some_value(
    connection: sqlite3.Connection, table: str, chance: random.Random
) -> tuple[str, tuple[Any, ...], Any]:
    """A column and a row that has something in it; the row is known by its key."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    column = chance.choice([column for column in columns if column not in KEYS[table]])
    keys = ", ".join(KEYS[table])
    sql = f"SELECT {column}, {keys} FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN ('', x'')"
    rows = connection.execute(sql).fetchall()
    if not rows:
        return _some_value(connection, table, chance)
    value, *key = chance.choice(rows)
    return column, tuple(key), value


def _flipped(value: Any, chance: random.Random) -> Any:
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(8)
    data = bytearray(value if isinstance(value, bytes) else value.encode())
    # In a text, the lowest bits: it stays a text that SQLite can read.
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8 if isinstance(value, bytes) else 3)
    return bytes(data) if isinstance(value, bytes) else data.decode()


def _set(connection: sqlite3.Connection, table: str, column: str, key: tuple[Any, ...], value: Any) -> None:
    where = " AND ".join(f"{name} = ?" for name in KEYS[table])
    with connection:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *key))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM log_entries WHERE number = 2",
        "DELETE FROM versions WHERE id = 2",
        "DELETE FROM version_documents WHERE version_id = 1",
        "DELETE FROM offers WHERE capability_id = 1",
        "DELETE FROM approvals",
        "DELETE FROM namespace_keys",
        "DELETE FROM log_checkpoints",
        "DELETE FROM log_nodes WHERE place = 3",
        "INSERT INTO log_entries VALUES (99, x'00')",
        "INSERT INTO arguments VALUES ('hidden', 'string', 1)",
        "UPDATE log_checkpoints SET size = size + 1 WHERE size = (SELECT max(size) FROM log_checkpoints)",
        "UPDATE namespace_keys SET raw = zeroblob(32)",
        "UPDATE approvals SET state = 'rejected'",
    ],
)
async def test_rows_that_are_missing_or_too_many_are_found(tmp_path: Path, statement: str) -> None:
    """Nobody can take a version out of the history, or put one in beside the log."""
    path = tmp_path / "registry.db"
    store = await claimed(await open_store(f"sqlite:///{path}", SIGNER))
    try:
        await story(store)
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()
        assert await problems(store)
    finally:
        await store.close()
