"""Questions for capabilities: by name, words, arguments, annotations, risk, kind and digest."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from avow.core.capability import Kind
from avow.registry.model import CapabilityHit, Facets, Holder, Offer, Page, PublishedVersion, Search
from avow.registry.store.database import Database, Row
from avow.registry.store.reading import END, MAX_PAGE, text_query
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
from avow.registry.store.words import query_terms

MAX_CAPABILITY_NAME: Final = 300
MAX_ARGUMENT_NAME: Final = 100
SHOWN_OFFERS: Final = 5
COUNTED: Final = 2_000

_HIT: Final = "c.id, c.digest, c.kind, c.name, c.title, c.description, c.risk, c.reasons, c.servers"
_WORDS: Final = {
    "sqlite": ("capability_words MATCH {}", "w.rowid"),
    "postgresql": ("w.words @@ CAST({}::text AS tsquery)", "w.id"),
}


@dataclass(slots=True)
class _Question:
    """A question that grows condition by condition.

    The most telling condition leads: its index gives capabilities in order, and the others are looked up
    for each. SQLite keeps the order in which the tables are written.
    """

    leading: str = ""
    number: str = "c.id"
    is_led: bool = False
    follower: str = ""
    conditions: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def value(self, value: Any) -> str:
        """A place for a value."""
        self.values.append(value)
        return f"${len(self.values)}"

    def lead(self, table: str, number: str) -> bool:
        """Whether this table may lead: the first that asks."""
        if self.leading or self.is_led:
            return False
        self.leading, self.number = f"{table} CROSS JOIN ", number
        self.conditions.append(f"c.id = {number}")
        return True

    def column(self, name: str, value: Any) -> None:
        """Hold a column to a value; where something leads already, its index is not used."""
        # SQLite has no figures to choose an index by: a plus sign takes the choice away.
        plus = self.follower if self.is_led or self.leading else ""
        self.conditions.append(f"{plus}c.{name} = {self.value(value)}")
        self.is_led = True

    @property
    def source(self) -> str:
        """Tables and conditions."""
        return f"{self.leading}capabilities c WHERE {' AND '.join(self.conditions)}"


async def search(database: Database, wanted: Search, cursor: str | None, limit: int) -> Page[CapabilityHit]:
    """Capabilities that some server offers today, the newest first."""
    (before,) = read_cursor(cursor, (END,))
    limit = max(1, min(limit, MAX_PAGE))
    question = _question(database, wanted)
    if question is None:
        return Page(())
    number = question.number
    question.conditions.append(f"{number} < {question.value(before)}")
    sql = (
        f"SELECT {_HIT} FROM {question.source} "  # noqa: S608
        f"ORDER BY {number} DESC LIMIT {question.value(limit + 1)}"
    )
    rows = await database.fetch(sql, *question.values)
    hits = await _hits(database, rows[:limit], wanted)
    return Page(hits, cursor_of(rows[limit - 1][0]) if len(rows) > limit else None)


async def facets(database: Database, wanted: Search) -> Facets:
    """How the hits are distributed."""
    question = _question(database, wanted)
    if question is None:
        return Facets({}, {})
    sql = (
        "SELECT kind, risk, count(*) FROM (SELECT c.kind AS kind, c.risk AS risk "  # noqa: S608
        f"FROM {question.source} LIMIT {question.value(COUNTED)}) AS hits GROUP BY kind, risk"
    )
    kinds, risks = dict.fromkeys(KINDS, 0), dict.fromkeys(LEVELS, 0)
    for kind, risk, count in await database.fetch(sql, *question.values):
        kinds[KINDS[kind]] += count
        risks[LEVELS[risk]] += count
    return Facets(
        {kind: count for kind, count in kinds.items() if count},
        {risk: count for risk, count in risks.items() if count},
        is_exact=sum(kinds.values()) < COUNTED,
    )


def _question(database: Database, wanted: Search) -> _Question | None:
    """The conditions of a search, the most telling first; None when nothing can be found."""
    question = _Question(follower="+" if database.dialect == "sqlite" else "")
    if wanted.text is not None and wanted.text.strip():
        terms = query_terms(wanted.text)
        if not terms:
            return None
        match, number = _WORDS[database.dialect]
        question.lead("capability_words w", number)
        question.conditions.append(match.format(question.value(text_query(database, terms))))
    if wanted.tool is not None:
        question.column("name", bounded(wanted.tool, MAX_CAPABILITY_NAME))
    if wanted.argument is not None:
        name = bounded(wanted.argument, MAX_ARGUMENT_NAME)
        _pair(question, "arguments", "type", name, wanted.argument_type or "")
    if wanted.annotation is not None:
        name, value = wanted.annotation
        _pair(question, "annotations", "value", name, value)
    if wanted.risk is not None:
        question.column("risk", LEVELS.index(wanted.risk))
    if wanted.kind is not None:
        question.column("kind", KINDS.index(wanted.kind))
    question.conditions.append("c.servers > 0")
    if offering := _offering(question, wanted):
        question.conditions.append(
            "EXISTS (SELECT 1 FROM offers o CROSS JOIN servers s "  # noqa: S608
            f"WHERE o.capability_id = c.id AND o.until = 0 AND s.id = o.server_id{offering})"
        )
    return question


def _pair(question: _Question, table: str, column: str, name: str, value: str) -> None:
    if question.lead(f"{table} p", "p.capability_id"):
        question.conditions.append(
            f"p.name = {question.value(name)} AND p.{column} = {question.value(value)}"
        )
        return
    question.conditions.append(
        f"EXISTS (SELECT 1 FROM {table} q WHERE q.name = {question.value(name)} "  # noqa: S608
        f"AND q.{column} = {question.value(value)} AND q.capability_id = c.id)"
    )


def _offering(question: _Question, wanted: Search) -> str:
    """What has to hold of a server that offers the capability."""
    text = " AND s.needs_secret = 0" if wanted.needs_no_secret else ""
    if wanted.namespace is not None:
        place = question.value(wanted.namespace)
        text += f" AND s.namespace_id = (SELECT id FROM namespaces WHERE name = {place})"  # noqa: S608
    return text


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
    question = _Question(values=[None])
    inner = (
        "SELECT s.name, v.version FROM offers o CROSS JOIN servers s CROSS JOIN versions v "  # noqa: S608
        "WHERE o.capability_id = {} AND o.until = 0 AND s.id = o.server_id AND v.id = s.latest_id"
        f"{_offering(question, wanted)} ORDER BY o.server_id LIMIT {SHOWN_OFFERS}"
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


async def holders(database: Database, digest: str, cursor: str | None, limit: int) -> Page[Holder]:
    """Who has published exactly this signature or capability."""
    (after,) = read_cursor(cursor, (0,))
    limit = max(1, min(limit, MAX_PAGE))
    wanted = digest_bytes(digest)
    found = await database.fetch("SELECT id, kind, name FROM capabilities WHERE digest = $1", wanted)
    if found:
        kinds = {row[0]: (KINDS[row[1]], row[2]) for row in found}
        rows = await _offering_ranges(database, sorted(kinds), after, limit)
    else:
        kinds = {}
        sql = (
            "SELECT server_id, min(sequence), max(sequence), count(*), 0 FROM versions "
            "WHERE digest = $1 AND server_id > $2 GROUP BY server_id ORDER BY server_id LIMIT $3"
        )
        rows = list(await database.fetch(sql, wanted, after, limit + 1))
    items = [await _holder(database, row, kinds) for row in rows[:limit]]
    return Page(tuple(items), cursor_of(rows[limit - 1][0]) if len(rows) > limit else None)


async def _offering_ranges(database: Database, numbers: list[int], after: int, limit: int) -> list[Row]:
    """For each server that ever offered one of these: its first and last version with it, and how many."""
    sql = (
        "SELECT o.server_id, min(o.since), max(CASE o.until WHEN 0 THEN s.versions ELSE o.until END), "
        "sum(CASE o.until WHEN 0 THEN s.versions ELSE o.until END - o.since + 1), o.capability_id "
        "FROM offers o CROSS JOIN servers s WHERE o.capability_id = $1 AND o.server_id > $2 "
        "AND s.id = o.server_id GROUP BY o.capability_id, o.server_id ORDER BY o.server_id LIMIT $3"
    )
    rows: list[Row] = []
    for number in numbers:
        rows.extend(await database.fetch(sql, number, after, limit + 1))
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
    limit = max(1, min(limit, MAX_PAGE))
    pairs = list(dict.fromkeys((kind, bounded(name, MAX_CAPABILITY_NAME)) for kind, name in wanted))
    servers: set[int] | None = None
    for kind, name in await _rarest_first(database, pairs):
        offering = await _servers_with(database, kind, name)
        servers = offering if servers is None else servers & offering
        if not servers:
            return Page(())
    sql = (
        f"SELECT {VERSION} FROM servers s CROSS JOIN versions v WHERE v.id = s.latest_id AND s.id IN ($many)"  # noqa: S608
    )
    found = [version_of(row) for row in await database.fetch_each(sql, servers or ())]
    found = sorted((each for each in found if each.id < before), key=lambda each: -each.id)
    return Page(tuple(found[:limit]), cursor_of(found[limit - 1].id) if len(found) > limit else None)


# `kind + 0`: there are few kinds, and SQLite must not think that their index is as good as that of names.


async def _rarest_first(database: Database, pairs: list[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    counted = []
    for kind, name in pairs:
        sql = "SELECT coalesce(sum(servers), 0) FROM capabilities WHERE name = $1 AND kind + 0 = $2"
        (row,) = await database.fetch(sql, name, KINDS.index(kind))
        counted.append((int(row[0]), kind, name))
    return [(kind, name) for _, kind, name in sorted(counted)]


async def _servers_with(database: Database, kind: Kind, name: str) -> set[int]:
    sql = (
        "SELECT o.server_id FROM capabilities c CROSS JOIN offers o WHERE c.name = $1 AND c.kind + 0 = $2 "
        "AND c.servers > 0 AND o.capability_id = c.id AND o.until = 0"
    )
    return {row[0] for row in await database.fetch(sql, name, KINDS.index(kind))}
