"""Tables as rows in the order of their keys, for whoever compares whole stores."""

from collections.abc import Sequence
from typing import Any, Final

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
    "log_entries": ("number",),
    "log_nodes": ("place",),
}
"""The tables that follow from the log and from what was signed, each with what its rows are ordered by."""


async def rows(database: Database, table: str, after: int) -> Sequence[tuple[Any, ...]]:
    """All rows of a table whose first number is from `after` to a page's end, in order."""
    keys = KEYS[table]
    # Names of ours, not of anybody who asks.
    sql = f"SELECT * FROM {table} WHERE {keys[0]} >= $1 AND {keys[0]} < $2"  # noqa: S608
    found: Sequence[Row] = await database.fetch(sql, after, after + PAGE)
    return sorted((tuple(row) for row in found), key=lambda row: tuple(map(str, row)))


async def last(database: Database, table: str) -> int:
    """The largest first number of a table; -1 where it is empty."""
    sql = f"SELECT coalesce(max({KEYS[table][0]}), -1) FROM {table}"  # noqa: S608
    return int((await database.fetch(sql))[0][0])
