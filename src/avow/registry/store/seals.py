"""Seals on the rows that the log does not record: who may do what, and who wants to hear of what.

A seal is made with the key of the log, so that whoever can write to the database, but does not have that key,
cannot change such a row unnoticed; nor take one away, since the rows of a table have a seal together. A whole
table that was put back as it once was has good seals.
"""

import hmac
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Final

from avow.core.tlog.notes import Signer
from avow.registry.store.database import Database, Row

SEALED: Final[Mapping[str, tuple[str, ...]]] = {
    "environments": ("name", "needed"),
    "tokens": ("id", "role", "person", "hashed", "created_ms", "revoked_ms"),
    "watches": ("id", "person", "target", "level", "created_ms"),
    "webhooks": (
        "id",
        "person",
        "url",
        "secret",
        "targets",
        "level",
        "created_ms",
        "position",
        "attempts",
        "next_attempt_ms",
        "leased_ms",
        "last_error",
    ),
}
"""The tables with what a seal is about; the first column is the key."""


def sealing_key(signer: Signer | None) -> bytes | None:
    """The key of all seals, for every process that has the key of the log."""
    return sha256(signer.key.sign(b"avow registry: rows beside the log")).digest() if signer else None


def seal_of(key: bytes | None, table: str, values: Sequence[Any]) -> bytes:
    """The seal of a row; without a key, none."""
    if key is None:
        return b""
    spelled = [value if isinstance(value, int | str | None) else bytes(value).hex() for value in values]
    return hmac.digest(key, json.dumps([table, *spelled]).encode(), "sha256")


@asynccontextmanager
async def changing(
    database: Database, key: bytes | None, table: str, which: Sequence[str]
) -> AsyncIterator[None]:
    """Rows of a table are added, changed or removed in this block, and sealed at its end.

    What somebody else has changed before is not sealed anew: that would hide it.
    """
    known = await _read(database, table, which)
    damaged = {row[0] for row in known if key is not None and not _fits(key, table, row)}
    is_whole = key is None or await _is_whole(database, key, table)
    yield
    # Names of ours, not of anybody who asks.
    sql = f"UPDATE {table} SET seal = $2 WHERE {SEALED[table][0]} = $1"  # noqa: S608
    rows = [row for row in await _read(database, table, which) if row[0] not in damaged]
    await database.run(sql, [(row[0], seal_of(key, table, row[:-1])) for row in rows])
    if is_whole:
        sql = (
            "INSERT INTO table_seals (name, seal) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET seal = $2"
        )
        await database.run(sql, [(table, seal_of(key, table, await _all_seals(database, table)))])


async def broken(database: Database, key: bytes | None, table: str) -> list[str]:
    """What does not fit in a table: the keys of rows, and `all of it` when one is missing or too many."""
    rows = await database.fetch(_select(table))
    found = [str(row[0])[:80] for row in rows if key is None or not _fits(key, table, tuple(row))]
    unknown = await database.fetch("SELECT name FROM table_seals")
    if (
        {row[0] for row in unknown} - SEALED.keys()
        or key is None
        or not await _is_whole(database, key, table)
    ):
        found.append("all of it")
    return found


async def _is_whole(database: Database, key: bytes, table: str) -> bool:
    """Whether the rows are those that were there after the last change; in the beginning there are none."""
    rows = await database.fetch("SELECT seal FROM table_seals WHERE name = $1", table)
    there = await _all_seals(database, table)
    return bytes(rows[0][0]) == seal_of(key, table, there) if len(rows) == 1 else not rows and not there


async def _all_seals(database: Database, table: str) -> list[str]:
    return sorted(f"{row[0]} {row[-1]!r}" for row in await database.fetch(_select(table)))


def _select(table: str) -> str:
    return f"SELECT {', '.join(SEALED[table])}, seal FROM {table}"  # noqa: S608


async def _read(database: Database, table: str, which: Sequence[str]) -> list[Row]:
    sql = f"{_select(table)} WHERE {SEALED[table][0]} IN ($many)"
    return [tuple(row) for row in await database.fetch_each(sql, which)]


def _fits(key: bytes, table: str, row: Row) -> bool:
    *values, seal = row
    try:
        return hmac.compare_digest(seal_of(key, table, values), bytes(seal))
    except TypeError:
        # A value of a type that the column does not have.
        return False
