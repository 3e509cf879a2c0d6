"""Everything that is stored, as rows in an order, for whoever compares whole stores."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from avow.registry.store import agreeing, word_index
from avow.registry.store.database import Database, Row

PAGE: Final = 500

KEYS: Final = {
    "namespaces": ("id",),
    "namespace_keys": ("namespace_id", "key_id"),
    "servers": ("id",),
    "versions": ("id",),
    "version_documents": ("version_id",),
    "capabilities": ("id",),
    "definitions": ("capability_id",),
    "arguments": ("capability_id", "name", "type"),
    "annotations": ("capability_id", "name", "value"),
    "offers": ("capability_id", "server_id", "since"),
    "approvals": ("log_index",),
    "standings": ("version_id", "environment"),
    "log_entries": ("number",),
    "log_nodes": ("place",),
}
"""The tables that follow from the log and from what was signed, each with what its rows are ordered by."""

# Their keys begin with a name: each page of these is a walk through all of the table, and so there are few.
_LARGE_PAGES: Final = {"arguments": 2_000, "annotations": 2_000}

WORDS: Final = ("capability_words", "server_words")
"""The indexes of words."""

COUNTERS: Final = ("size", "last_ms", "versions", "servers", "capabilities", "namespaces")
"""The columns of the one row of the log that follow from its entries."""


def page_of(table: str) -> int:
    """How many of the first numbers of its keys a page of a table covers."""
    return _LARGE_PAGES.get(table, PAGE)


async def rows(database: Database, table: str, after: int) -> Sequence[tuple[str, ...]]:
    """All rows of a table whose first number is from `after` to a page's end, in order, spelled out.

    Spelled out, since 1 and 1.0 and true are the same to Python, and not to who reads them.
    """
    key = KEYS[table][0]
    # Names of ours, not of anybody who asks.
    sql = f"SELECT * FROM {table} WHERE {key} >= $1 AND {key} < $2"  # noqa: S608
    found: Sequence[Row] = await database.fetch(sql, after, after + page_of(table))
    return sorted(tuple(map(repr, row)) for row in found)


async def extent(database: Database, table: str) -> tuple[int, Any, Any]:
    """How many rows a table has, and the smallest and the largest first number."""
    key = KEYS[table][0]
    count, smallest, largest = (
        await database.fetch(f"SELECT count(*), min({key}), max({key}) FROM {table}")  # noqa: S608
    )[0]
    return count, smallest, largest


async def state(database: Database) -> tuple[Any, ...]:
    """The one row of the log: its name, its key, and the counters; empty where it is gone."""
    sql = f"SELECT origin, verifier, {', '.join(COUNTERS)} FROM registry_log"  # noqa: S608
    found = await database.fetch(sql)
    return tuple(found[0]) if len(found) == 1 else ()


async def checkpoints(database: Database, first: int, last: int) -> Sequence[tuple[int, bytes, bytes]]:
    """The checkpoints of sizes from `first` to `last`, inclusive, in order."""
    sql = "SELECT size, root, note FROM log_checkpoints WHERE size >= $1 AND size <= $2 ORDER BY size"
    return [(size, bytes(root), bytes(note)) for size, root, note in await database.fetch(sql, first, last)]


async def count_checkpoints(database: Database) -> int:
    """How many checkpoints there are, whatever their sizes."""
    return int((await database.fetch("SELECT count(*) FROM log_checkpoints"))[0][0])


async def witnesses(database: Database) -> list[tuple[Any, ...]]:
    """The newest size that each witness has signed, row by row."""
    return sorted(tuple(row) for row in await database.fetch("SELECT witness, size FROM witnesses"))


async def damage(database: Database) -> Sequence[str]:
    """What is wrong with the database as such: its pages, as far as it says, and its indexes."""
    if database.dialect != "sqlite":
        return await agreeing.disagreements(database, WORDS)
    found = [str(row[0]) for row in await database.fetch("PRAGMA integrity_check(10)")]
    for table in WORDS:
        found += await word_index.damage(database, table)
    return [each for each in found if each != "ok"]


async def schema(database: Database) -> Mapping[str, Any]:
    """The tables and indexes as they were made, where the database keeps the words."""
    if database.dialect != "sqlite":
        return {}
    sql = "SELECT type || ' ' || name, coalesce(tbl_name || ': ' || sql, tbl_name) FROM sqlite_master"
    made = dict(map(tuple, await database.fetch(sql)))
    return {**made, **{table: await word_index.settings(database, table) for table in WORDS}}


async def step(database: Database) -> list[str]:
    """How far the tables were migrated."""
    return [row[0] for row in await database.fetch("SELECT version_num FROM alembic_version")]
