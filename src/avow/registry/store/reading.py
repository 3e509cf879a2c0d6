"""Questions about servers, their versions and what changed."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from avow.core.canonical import JsonObject
from avow.core.publication import MAX_NAME
from avow.core.severity import Severity
from avow.registry.model import Change, Page, PublishedVersion, Server, ServerName
from avow.registry.store.database import Database, Row
from avow.registry.store.packing import restored
from avow.registry.store.rows import (
    SERVER,
    SEVERITIES,
    VERSION,
    bounded,
    cursor_of,
    read_cursor,
    server_of,
    version_of,
)
from avow.registry.store.words import Term, postgresql_query, query_terms, sqlite_query

END: Final = 2**62
"""Beyond every number that is ever given out."""

MAX_PAGE: Final = 1_000
# CROSS JOIN: SQLite then keeps the order in which the tables are written here. PostgreSQL does not care.
_VERSIONS: Final = f"SELECT {VERSION} FROM versions v CROSS JOIN servers s WHERE s.id = v.server_id"  # noqa: S608
_OF_SERVER: Final = f"SELECT {VERSION} FROM servers s CROSS JOIN versions v WHERE v.server_id = s.id"  # noqa: S608
_SERVERS: Final = f"SELECT {SERVER} FROM servers s CROSS JOIN versions v WHERE v.id = s.latest_id"  # noqa: S608
_BY_WORDS: Final = {
    dialect: (
        f"SELECT {SERVER} FROM server_words w CROSS JOIN servers s CROSS JOIN versions v "  # noqa: S608
        f"WHERE {match} AND {number} < $2 AND s.latest_id = {number} AND v.id = {number}",
        f" ORDER BY {number} DESC LIMIT $1",
    )
    for dialect, number, match in (
        ("sqlite", "w.rowid", "server_words MATCH $3"),
        ("postgresql", "w.id", "w.words @@ CAST($3::text AS tsquery)"),
    )
}
_BY_CHANGE: Final = (f"{_SERVERS} AND s.latest_id < $2", " ORDER BY s.latest_id DESC LIMIT $1")
# How many servers are looked at for one page of those with something in their names.
_LOOKED_AT: Final = 10_000
_NAMED: Final = (
    # The names first, then what belongs to the few that fit.
    f"SELECT {SERVER} FROM (SELECT id FROM (SELECT id, name, latest_id FROM servers "  # noqa: S608
    "WHERE latest_id < $1 ORDER BY latest_id DESC LIMIT $4) AS l WHERE lower(l.name) LIKE $3 ESCAPE '\\' "
    "ORDER BY l.latest_id DESC LIMIT $2) AS f CROSS JOIN servers s CROSS JOIN versions v "
    "WHERE s.id = f.id AND v.id = s.latest_id ORDER BY s.latest_id DESC"
)
_OLDER: Final = "AND v.id < $1 ORDER BY {} DESC LIMIT $3"
# Servers that have not changed since are passed over as a whole.
_NEWER: Final = "AND v.id > $1 AND s.latest_id > $1 ORDER BY {} LIMIT $3"
_NUMBER: Final = "SELECT id FROM namespaces WHERE name = "
_FEW: Final = 1_000


async def server(database: Database, name: ServerName) -> Server | None:
    """One server."""
    rows = await database.fetch(f"{_SERVERS} AND s.name = $1", str(name))
    return server_of(rows[0]) if rows else None


async def servers(
    database: Database, text: str, namespace: str | None, cursor: str | None, limit: int
) -> Page[Server]:
    """Servers, the one that changed last first."""
    (before,) = read_cursor(cursor, (END,))
    terms = query_terms(text)
    if text and not terms:
        return Page(())
    values: list[Any] = [_limit(limit), before]
    question, order = _BY_WORDS[database.dialect] if terms else _BY_CHANGE
    if terms:
        values.append(text_query(database, terms))
    if namespace is not None:
        values.append(namespace)
        question += f" AND s.namespace_id = (SELECT id FROM namespaces WHERE name = ${len(values)})"  # noqa: S608
    rows = await database.fetch(question + order, *values)
    return _page([server_of(row) for row in rows], [row[0] for row in rows], limit)


async def servers_named(database: Database, part: str, cursor: str | None, limit: int) -> Page[Server]:
    """Servers with this in their names, the one that changed last first."""
    (before,) = read_cursor(cursor, (END,))
    escaped = re.sub(r"([\\%_])", r"\\\1", bounded(part, MAX_NAME).lower())
    rows = await database.fetch(_NAMED, before, _limit(limit), f"%{escaped}%", _LOOKED_AT)
    page = _page([server_of(row) for row in rows], [row[0] for row in rows], limit)
    if page.next is not None:
        return page
    sql = "SELECT latest_id FROM servers WHERE latest_id < $1 ORDER BY latest_id DESC LIMIT 1 OFFSET $2"
    last = await database.fetch(sql, before, _LOOKED_AT - 1)
    return Page(page.items, cursor_of(last[0][0]) if last else None)


async def version(database: Database, name: ServerName, wanted: str | None) -> PublishedVersion | None:
    """One version."""
    if wanted is None:
        rows = await database.fetch(f"{_SERVERS} AND s.name = $1", str(name))
    else:
        rows = await database.fetch(f"{_OF_SERVER} AND s.name = $1 AND v.version = $2", str(name), wanted)
    return version_of(rows[0]) if rows else None


async def versions(
    database: Database, name: ServerName, cursor: str | None, limit: int
) -> Page[PublishedVersion]:
    """The history of a server."""
    (before,) = read_cursor(cursor, (END,))
    sql = f"{_OF_SERVER} AND s.name = $1 AND v.sequence < $2 ORDER BY v.sequence DESC LIMIT $3"
    rows = await database.fetch(sql, str(name), before, _limit(limit))
    return _page([version_of(row) for row in rows], [row[3] for row in rows], limit)


async def drifts(
    database: Database, name: ServerName, wanted: Sequence[str]
) -> Mapping[str, tuple[JsonObject, ...]]:
    """Documents of drift."""
    found = {}
    sql = (
        "SELECT d.drift FROM servers s CROSS JOIN versions v CROSS JOIN version_documents d "
        "WHERE s.name = $1 AND v.server_id = s.id AND v.version = $2 AND d.version_id = v.id"
    )
    for each in wanted:
        for row in await database.fetch(sql, str(name), each):
            found[each] = tuple(json.loads(restored(row[0])))
    return found


async def changes(
    database: Database, after: int, limit: int, targets: Sequence[str], level: Severity | None
) -> tuple[Change, ...]:
    """Publications after a position, oldest first."""
    rows: dict[int, Row] = {}
    for target in dict.fromkeys(targets) if targets else (None,):
        for row in await _in_target(database, target, level, _NEWER, after, limit):
            rows[row[0]] = row
    return tuple(_change(rows[number]) for number in sorted(rows)[:limit])


async def recent(
    database: Database, level: Severity | None, cursor: str | None, limit: int, target: str | None = None
) -> Page[Change]:
    """The newest publications, of all servers or in a target."""
    (before,) = read_cursor(cursor, (END,))
    found = await _in_target(database, target, level, _OLDER, before, _limit(limit))
    rows = sorted(found, key=lambda row: -row[0])[: _limit(limit)]
    return _page([_change(row) for row in rows], [row[0] for row in rows], limit)


async def _in_target(
    database: Database, target: str | None, level: Severity | None, order: str, place: int, limit: int
) -> list[Row]:
    """Versions in everything, a server or `namespace/*`; enough of each severity, where that has an index."""
    lowest = SEVERITIES.index(level) + 1 if level is not None else 0
    if target is None and level is not None:
        wanted, ranks = f"{_VERSIONS} AND v.highest = $2", range(lowest, len(SEVERITIES) + 1)
    else:
        # `highest + 0`: here its index would lead away from the target.
        wanted = f"{await _source(database, target)} AND v.highest + 0 >= $2"
        ranks = range(lowest, lowest + 1)
    about = () if target is None else (target.removesuffix("/*"),)
    # Those of one server are in the order of its index already.
    ordered = order.format("v.id" if target is None or target.endswith("/*") else "v.sequence")
    rows: list[Row] = []
    for rank in ranks:
        rows.extend(await database.fetch(f"{wanted} {ordered}", place, rank, limit, *about))
    return rows


async def _source(database: Database, target: str | None) -> str:
    """Where the versions of a target are found; its name is the fourth value."""
    if target is None:
        return _VERSIONS
    if not target.endswith("/*"):
        return f"{_OF_SERVER} AND s.name = $4"
    many = f"SELECT 1 FROM servers WHERE namespace_id = ({_NUMBER}$1) LIMIT 1 OFFSET {_FEW}"  # noqa: S608
    # Versions of very many servers are not far apart in the order of all.
    is_large = await database.fetch(many, target.removesuffix("/*"))
    return f"{_VERSIONS if is_large else _OF_SERVER} AND s.namespace_id = ({_NUMBER}$4)"


async def totals(database: Database) -> Mapping[str, int]:
    """How much there is, as the writer counts it."""
    sql = "SELECT servers, versions, capabilities, namespaces, size FROM registry_log WHERE one = 1"
    rows = await database.fetch(sql)
    names = ("servers", "versions", "capabilities", "namespaces", "entries")
    return dict(zip(names, rows[0], strict=True))


def text_query(database: Database, terms: Sequence[Term]) -> str:
    """The terms as the database at hand wants to be asked for them."""
    return sqlite_query(terms) if database.dialect == "sqlite" else postgresql_query(terms)


def _change(row: Row) -> Change:
    found = version_of(row)
    return Change(found, is_first=found.sequence == 1)


def page_limit(limit: int) -> int:
    """How many things a page holds where so many are asked for."""
    return max(1, min(limit, MAX_PAGE))


def _limit(limit: int) -> int:
    """One more than asked for shows whether there is a next page."""
    return page_limit(limit) + 1


def _page(items: list, places: list[int], limit: int) -> Page:  # type: ignore[type-arg]
    wanted = page_limit(limit)
    return Page(tuple(items[:wanted]), cursor_of(places[wanted - 1]) if len(items) > wanted else None)
