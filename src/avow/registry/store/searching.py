"""Questions for capabilities: by name, words, arguments, annotations, risk, kind and digest."""

import json
from collections.abc import Sequence
from typing import Final

from avow.core.canonical import Digest
from avow.core.capability import Kind
from avow.registry.model import CapabilityHit, Facets, Holder, Offer, Page, PublishedVersion, Search
from avow.registry.store.conditions import (
    MAX_ARGUMENT_NAME,
    MAX_CAPABILITY_NAME,
    Question,
    offering_of,
    question_of,
)
from avow.registry.store.database import Database, Row
from avow.registry.store.reading import END, page_limit
from avow.registry.store.rows import (
    KINDS,
    LEVELS,
    VERSION,
    bounded,
    cursor_of,
    digest_bytes,
    digest_text,
    name_of,
    read_cursor,
    version_of,
)

__all__ = [
    "COUNTED",
    "MAX_ARGUMENT_NAME",
    "MAX_CAPABILITY_NAME",
    "candidates",
    "capability",
    "digests",
    "facets",
    "holders",
    "search",
]

SHOWN_OFFERS: Final = 5
DIGITS: Final = 64
_FEW: Final = 10
COUNTED: Final = 1_000
# How many rows of what leads are looked at for one page, and for its facets: together some milliseconds.
# SQLite cannot know how few rows fit; PostgreSQL can, and chooses a way to a page by itself.
_LOOKED_AT: Final = {"sqlite": 12_000, "postgresql": None}
_COUNTED_AMONG: Final = 2_000

_HIT: Final = "c.id, c.digest, c.kind, c.name, c.title, c.description, c.risk, c.reasons, c.servers"


async def search(database: Database, wanted: Search, cursor: str | None, limit: int) -> Page[CapabilityHit]:
    """Capabilities that some server offers today, the newest first."""
    (before,) = read_cursor(cursor, (END,))
    limit = page_limit(limit)
    question = question_of(database, wanted)
    if question is None:
        return Page(())
    most = _LOOKED_AT[database.dialect]
    sql = f"SELECT {_HIT} FROM {question.source(most, before)}"  # noqa: S608
    # What leads is in order, and SQLite keeps it; asked to, it would sort all there is.
    order = "" if database.dialect == "sqlite" else " ORDER BY l.id DESC"
    sql += f"{order} LIMIT {question.value(limit + 1)}"
    rows = await database.fetch(sql, *question.values)
    hits = await _hits(database, rows[:limit], wanted)
    if len(rows) > limit:
        return Page(hits, cursor_of(rows[limit - 1][0]))
    # When there may be others behind those that were looked at, one goes on after the last of them.
    last = None if most is None else await question.leading_row(database, most - 1, before)
    return Page(hits, None if last is None else cursor_of(last))


async def facets(database: Database, wanted: Search) -> Facets:
    """How the hits are distributed."""
    question = question_of(database, wanted)
    if question is None:
        return Facets({}, {})
    sql = (
        "SELECT kind, risk, count(*) FROM (SELECT c.kind AS kind, c.risk AS risk "  # noqa: S608
        f"FROM {question.source(_COUNTED_AMONG, END)} LIMIT {COUNTED}) AS hits GROUP BY kind, risk"
    )
    rows = await database.fetch(sql, *question.values)
    pairs = {(KINDS[kind], LEVELS[risk]): count for kind, risk, count in rows}
    kinds, risks = dict.fromkeys(KINDS, 0), dict.fromkeys(LEVELS, 0)
    for (kind, risk), count in pairs.items():
        kinds[kind] += count
        risks[risk] += count
    is_whole = await question.leading_row(database, _COUNTED_AMONG, END) is None
    return Facets(
        {kind: count for kind, count in kinds.items() if count},
        {risk: count for risk, count in risks.items() if count},
        is_exact=is_whole and sum(pairs.values()) < COUNTED,
        pairs=pairs,
    )


async def _hits(database: Database, rows: Sequence[Row], wanted: Search) -> tuple[CapabilityHit, ...]:
    offers = await _offers(database, [row[0] for row in rows], wanted)
    return tuple(_hit(row, offers.get(row[0], ())) for row in rows)


def _hit(row: Row, offers: Sequence[Offer]) -> CapabilityHit:
    number, digest, kind, name, title, description, risk, reasons, servers = row
    return CapabilityHit(
        number,
        digest_text(digest),
        KINDS[kind],
        name,
        title,
        description,
        LEVELS[risk],
        tuple(json.loads(reasons)),
        tuple(offers),
        servers,
    )


async def _offers(database: Database, numbers: Sequence[int], wanted: Search) -> dict[int, list[Offer]]:
    """The first few servers that offer each of these capabilities."""
    question = Question(database.dialect, values=[None])
    inner = (
        "SELECT s.name, v.version FROM offers o CROSS JOIN servers s CROSS JOIN versions v "  # noqa: S608
        "WHERE o.capability_id = {} AND o.until = 0 AND s.id = o.server_id AND v.id = s.latest_id"
        f"{offering_of(question, wanted)} ORDER BY o.server_id LIMIT {SHOWN_OFFERS}"
    )
    found: dict[int, list[Offer]] = {}
    if database.dialect == "sqlite":
        for number in numbers:
            rows = await database.fetch(inner.format("$1"), number, *question.values[1:])
            found[number] = [Offer(name_of(name), version) for name, version in rows]
        return found
    outer = (
        "SELECT w.id, i.name, i.version FROM unnest($1::bigint[]) AS w(id), "  # noqa: S608
        f"LATERAL ({inner.format('w.id')}) AS i"
    )
    for number, name, version in await database.fetch(outer, list(numbers), *question.values[1:]):
        found.setdefault(number, []).append(Offer(name_of(name), version))
    return found


async def capability(database: Database, digest: str) -> tuple[CapabilityHit, bytes] | None:
    """A capability with its definition, compressed."""
    sql = (
        f"SELECT {_HIT}, d.definition FROM capabilities c CROSS JOIN definitions d "  # noqa: S608
        "WHERE c.digest = $1 AND d.capability_id = c.id ORDER BY c.kind LIMIT 1"
    )
    rows = await database.fetch(sql, digest_bytes(digest))
    if not rows:
        return None
    (hit,) = await _hits(database, [rows[0][:9]], Search())
    return hit, bytes(rows[0][9])


async def digests(database: Database, beginning: str, limit: int) -> tuple[Digest, ...]:
    """The first digests of capabilities and signatures that begin with these digits."""
    first = bytes.fromhex(beginning.ljust(DIGITS, "0"))
    last = bytes.fromhex(beginning.ljust(DIGITS, "f"))
    found: set[bytes] = set()
    for table in ("capabilities", "versions"):
        sql = (
            f"SELECT DISTINCT digest FROM {table} WHERE digest >= $1 AND digest <= $2 "  # noqa: S608
            "ORDER BY digest LIMIT $3"
        )
        found.update(bytes(row[0]) for row in await database.fetch(sql, first, last, page_limit(limit)))
    return tuple(map(digest_text, sorted(found)))[: page_limit(limit)]


async def holders(database: Database, digest: str, cursor: str | None, limit: int) -> Page[Holder]:
    """Who has published exactly this signature or capability."""
    after, which = read_cursor(cursor, (0, 0))
    limit = page_limit(limit)
    wanted = digest_bytes(digest)
    found = await database.fetch("SELECT id, kind, name FROM capabilities WHERE digest = $1", wanted)
    if found:
        kinds = {row[0]: (KINDS[row[1]], row[2]) for row in found}
        rows = await _offering_ranges(database, sorted(kinds), (after, which), limit)
    else:
        kinds = {}
        sql = (
            "SELECT server_id, min(sequence), max(sequence), count(*), 0 FROM versions "
            "WHERE digest = $1 AND server_id > $2 GROUP BY server_id ORDER BY server_id LIMIT $3"
        )
        rows = list(await database.fetch(sql, wanted, after, limit + 1))
    items = [await _holder(database, row, kinds) for row in rows[:limit]]
    return Page(
        tuple(items), cursor_of(rows[limit - 1][0], rows[limit - 1][4]) if len(rows) > limit else None
    )


async def _offering_ranges(
    database: Database, numbers: list[int], after: tuple[int, int], limit: int
) -> list[Row]:
    """For each server that ever offered one of these: its first and last version with it, and how many."""
    sql = (
        "SELECT o.server_id, min(o.since), max(CASE o.until WHEN 0 THEN s.versions ELSE o.until END), "
        "sum(CASE o.until WHEN 0 THEN s.versions ELSE o.until END - o.since + 1), o.capability_id "
        "FROM offers o CROSS JOIN servers s WHERE o.capability_id = $1 AND o.server_id >= $2 "
        "AND s.id = o.server_id GROUP BY o.capability_id, o.server_id ORDER BY o.server_id LIMIT $3"
    )
    rows: list[Row] = []
    for number in numbers:
        # A server may have both a tool and a prompt with this digest: a page may end between them.
        first = after[0] if number > after[1] else after[0] + 1
        rows.extend(await database.fetch(sql, number, first, limit + 1))
    return sorted(rows, key=lambda row: (row[0], row[4]))[: limit + 1]


async def _holder(database: Database, row: Row, kinds: dict[int, tuple[Kind, str]]) -> Holder:
    server, first, last, versions, capability = row
    sql = (
        "SELECT s.name, s.versions, v.sequence, v.version FROM servers s CROSS JOIN versions v "
        "WHERE s.id = $1 AND v.server_id = s.id AND v.sequence IN ($2, $3)"
    )
    rows = await database.fetch(sql, server, first, last)
    named = {found[2]: found[3] for found in rows}
    name, newest, *_ = rows[0]
    kind, what = kinds.get(capability, (None, None))
    return Holder(name_of(name), named[first], named[last], int(versions), last == newest, kind, what)


async def candidates(
    database: Database, wanted: Sequence[tuple[Kind, str]], cursor: str | None, limit: int
) -> Page[PublishedVersion]:
    """Newest versions of servers that have something of each of these kinds and names."""
    (before,) = read_cursor(cursor, (END,))
    limit = page_limit(limit)
    pairs = list(dict.fromkeys((kind, bounded(name, MAX_CAPABILITY_NAME)) for kind, name in wanted))
    servers = await _servers_with_all(database, await _rarest_first(database, pairs))
    if not servers:
        return Page(())
    sql = (
        f"SELECT {VERSION} FROM servers s CROSS JOIN versions v WHERE v.id = s.latest_id AND s.id IN ($many)"  # noqa: S608
    )
    found = [version_of(row) for row in await database.fetch_each(sql, servers)]
    found = sorted((each for each in found if each.id < before), key=lambda each: -each.id)
    return Page(tuple(found[:limit]), cursor_of(found[limit - 1].id) if len(found) > limit else None)


async def _servers_with_all(database: Database, pairs: list[tuple[Kind, str]]) -> set[int]:
    servers: set[int] = set()
    for place, (kind, name) in enumerate(pairs):
        offering = await _servers_with(database, kind, name)
        servers = servers & offering if place else offering
        if len(servers) <= _FEW:
            return await _among(database, servers, pairs[place + 1 :])
    return servers


async def _among(database: Database, servers: set[int], pairs: list[tuple[Kind, str]]) -> set[int]:
    """Those of a few servers that have all of these, found by looking at everything that they have."""
    if not servers or not pairs:
        return servers
    sql = (
        "SELECT o.server_id, c.kind, c.name FROM offers o CROSS JOIN capabilities c "
        "WHERE o.server_id IN ($many) AND o.until = 0 AND c.id = o.capability_id"
    )
    there: dict[int, set[tuple[Kind, str]]] = {}
    for server, kind, name in await database.fetch_each(sql, servers):
        there.setdefault(server, set()).add((KINDS[kind], name))
    return {server for server, offered in there.items() if offered.issuperset(pairs)}


async def _rarest_first(database: Database, pairs: list[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    sql = "SELECT kind, name, sum(servers) FROM capabilities WHERE name IN ($many) GROUP BY kind, name"
    counted = {
        (KINDS[kind], name): int(count)
        for kind, name, count in await database.fetch_each(sql, (name for _, name in pairs))
    }
    return sorted(pairs, key=lambda pair: (counted.get(pair, 0), *pair))


async def _servers_with(database: Database, kind: Kind, name: str) -> set[int]:
    # `kind + 0`: there are few kinds, and SQLite must not think that their index is as good as that of names.
    sql = (
        "SELECT o.server_id FROM capabilities c CROSS JOIN offers o WHERE c.name = $1 AND c.kind + 0 = $2 "
        "AND c.servers > 0 AND o.capability_id = c.id AND o.until = 0"
    )
    return {row[0] for row in await database.fetch(sql, name, KINDS.index(kind))}
