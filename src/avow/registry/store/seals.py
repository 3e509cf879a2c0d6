"""Seals on the rows that the log does not record: who may do what, and who wants to hear of what.

A seal is made with the key of the log, so that whoever can write to the database, but does not have that key,
cannot change such a row unnoticed. A row that was taken away, or put back as it once was, has a good seal.
"""

import hmac
import json
from collections.abc import Mapping, Sequence
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


async def renew(database: Database, key: bytes | None, table: str, which: Sequence[str]) -> None:
    """Seal rows as they are now."""
    rows = await _read(database, table, which)
    # Names of ours, not of anybody who asks.
    sql = f"UPDATE {table} SET seal = $2 WHERE {SEALED[table][0]} = $1"  # noqa: S608
    await database.run(sql, [(row[0], seal_of(key, table, row[:-1])) for row in rows])


async def intact(database: Database, key: bytes | None, table: str, which: Sequence[str]) -> list[str]:
    """Those of some rows whose seals fit: a change seals no others anew, or it would hide what was done."""
    rows = await _read(database, table, which)
    return [row[0] for row in rows if key is None or _fits(key, table, row)]


async def broken(database: Database, key: bytes | None, table: str) -> list[str]:
    """The keys of the rows whose seals do not fit; all of them are few."""
    rows = await database.fetch(_select(table))
    return [str(row[0])[:80] for row in rows if key is None or not _fits(key, table, tuple(row))]


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
