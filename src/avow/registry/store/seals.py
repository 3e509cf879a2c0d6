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

# Rows that change with every delivery: who puts one back as it once was has something told again, no more.
_RESTLESS: Final = frozenset({"webhooks"})


def sealing_key(signer: Signer) -> bytes:
    """The key of all seals, for every process that has the key of the log."""
    return sha256(signer.key.sign(b"avow registry: rows beside the log")).digest()


def seal_of(key: bytes, table: str, values: Sequence[Any]) -> bytes:
    """The seal of a row."""
    spelled = [value if isinstance(value, int | str | None) else bytes(value).hex() for value in values]
    return hmac.digest(key, json.dumps([table, *spelled]).encode(), "sha256")


@asynccontextmanager
async def changing(
    database: Database, key: bytes, table: str, which: Sequence[str], *, is_delivery: bool = False
) -> AsyncIterator[None]:
    """Rows of a table are added, changed or removed in this block, and sealed at its end.

    What somebody else has changed before is not sealed anew: that would hide it. A delivery adds and removes
    no rows.
    """
    known = await _read(database, table, which)
    damaged = {row[0] for row in known if not _fits(key, table, row)}
    is_whole = not is_delivery and await _is_whole(database, key, table)
    yield
    # Names of ours, not of anybody who asks.
    sql = f"UPDATE {table} SET seal = $2 WHERE {SEALED[table][0]} = $1"  # noqa: S608
    rows = [row for row in await _read(database, table, which) if row[0] not in damaged]
    await database.run(sql, [(row[0], seal_of(key, table, row[:-1])) for row in rows])
    if is_whole:
        sql = (
            "INSERT INTO table_seals (name, seal) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET seal = $2"
        )
        await database.run(sql, [(table, await _whole_seal(database, key, table))])


async def broken(database: Database, key: bytes, table: str) -> list[str]:
    """What does not fit in a table: the keys of rows, and `all of it` when one is missing or too many."""
    rows = await database.fetch(_select(table))
    found = [str(row[0])[:80] for row in rows if not _fits(key, table, tuple(row))]
    unknown = await database.fetch("SELECT name FROM table_seals")
    if {row[0] for row in unknown} - SEALED.keys() or not await _is_whole(database, key, table):
        found.append("all of it")
    return found


async def _is_whole(database: Database, key: bytes, table: str) -> bool:
    """Whether the rows are those that were there after the last change; in the beginning there are none."""
    rows = await database.fetch("SELECT seal FROM table_seals WHERE name = $1", table)
    if not rows:
        return not await _members(database, table)
    return hmac.compare_digest(bytes(rows[0][0]), await _whole_seal(database, key, table))


async def _whole_seal(database: Database, key: bytes, table: str) -> bytes:
    return seal_of(key, f"all of {table}", await _members(database, table))


async def _members(database: Database, table: str) -> list[str]:
    if table in _RESTLESS:
        return sorted(str(row[0]) for row in await database.fetch(f"SELECT {SEALED[table][0]} FROM {table}"))  # noqa: S608
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
