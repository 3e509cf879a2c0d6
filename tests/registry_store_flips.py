"""One flipped bit at a time in a registry's database, and whether its audit notices.

Places are counted one by one. A flip is `detected` when the store does not open or the audit has something
to say. It is `harmless` when the audit is silent and every row of every table, read from the tables and again
through each index, every word and what it finds, and every answer to every question is the same as before:
nothing that anybody is told has changed. Anything else is `undetected`.
"""

import random
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from avow.core.publication import ServerName
from avow.core.severity import Severity
from avow.errors import AvowError
from avow.registry.auditing import audit
from avow.registry.model import ApprovalState, Search
from avow.registry.store.base import SqlStore
from avow.registry.store.opening import open_store
from registry_running import NAME, SIGNER
from registry_story import LOG_KEY, OTHER, WITNESS_KEY

DETECTED, HARMLESS, UNDETECTED = "detected", "harmless", "undetected"
REFUSED = "refused by the database"
UNPROVED = "said, not proved"


@dataclass
class Tally:
    """How many flips of each place ended how; `told` has one sentence for each that was not noticed."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def add(self, place: str, outcome: str, what: str = "") -> None:
        self.counts.setdefault(place, Counter())[outcome] += 1
        if outcome == UNDETECTED or (outcome == HARMLESS and "between" not in place):
            self.told.append(f"{outcome}: {place}: {what}")

    def total(self, *outcomes: str) -> int:
        return sum(each[outcome] for each in self.counts.values() for outcome in outcomes)

    @property
    def flips(self) -> int:
        return self.total(DETECTED, HARMLESS, UNDETECTED, UNPROVED)


def flipped(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


async def first_problem(address: str) -> str:
    """What a fresh start and an audit say first about a store; empty when nothing."""
    try:
        store = await open_store(address, SIGNER)
    except AvowError as error:
        return f"does not open: {error.message}"
    except Exception as error:  # noqa: BLE001  a program that ends with a traceback was noticed, too
        return f"does not open: {type(error).__name__}: {error}"
    try:
        assert isinstance(store, SqlStore)
        async for problem in audit(store, LOG_KEY, [WITNESS_KEY]):
            return problem
        return ""
    finally:
        await store.close()


async def answers(address: str) -> dict[str, str]:
    """What people and programs are told: every question there is, about everything in the story."""
    store = await open_store(address, SIGNER)
    try:
        asked: dict[str, Awaitable[Any]] = {
            "servers": store.servers(),
            "recent": store.recent(),
            "moderate": store.recent(level=Severity.MODERATE),
            "changes": store.changes(),
            "namespaces": store.namespaces(),
            "environments": store.environments(),
            "tokens": store.tokens(),
            "webhooks": store.webhooks(),
            "watches": store.watches("the administer"),
            "totals": store.totals(),
            "checkpoint": store.checkpoint(),
            "entries": store.entries(0, 10_000),
            "facets": store.facets(Search(text="file")),
        }
        for name in map(ServerName.read, (NAME, OTHER)):
            asked[f"{name}"] = store.server(name)
            asked[f"{name} versions"] = store.versions(name)
            asked[f"{name} approvals"] = store.approvals(name)
            for version in ("1.0.0", "1.1.0", "1.2.0", "0.1.0", "0.2.0"):
                asked[f"{name} {version}"] = store.envelope(name, version)
                asked[f"{name} {version} drift"] = store.drifts(name, [version])
        for place in ("production", "staging"):
            asked[f"undecided {place}"] = store.undecided(place)
            asked[f"approved {place}"] = store.usable(place)
            asked[f"rejected {place}"] = store.usable(place, state=ApprovalState.REJECTED)
        for word in ("file", "read", "delete", "mail", "send", "ask", "inbox", "letter", "owner", "somebody"):
            asked[f"search {word}"] = store.search(Search(text=word))
            asked[f"servers {word}"] = store.servers(word)
        for argument in ("path", "to", "urgent", "who"):
            asked[f"argument {argument}"] = store.search(Search(argument=argument))
        asked["annotation"] = store.search(Search(annotation=("readOnlyHint", "true")))
        asked["tool"] = store.search(Search(tool="read_file"))
        return {name: repr(await question) for name, question in asked.items()}
    finally:
        await store.close()


class Judge:
    """Knows how everything was, and says what became of a flip."""

    def __init__(self, dump: Callable[[str], Awaitable[dict[str, Any]]]) -> None:
        self._dump = dump
        self._before: tuple[dict[str, Any], dict[str, str]] = ({}, {})

    async def learn(self, address: str) -> None:
        assert await first_problem(address) == ""
        self._before = await self._dump(address), await answers(address)

    async def outcome(self, address: str) -> tuple[str, str]:
        if problem := await first_problem(address):
            return DETECTED, problem
        dumped, answered = self._before
        now = await self._dump(address)
        if different := [name for name in dumped.keys() | now.keys() if dumped.get(name) != now.get(name)]:
            return UNDETECTED, f"different: {different[:3]}"
        told = await answers(address)
        if different := [name for name in answered if answered[name] != told[name]]:
            return UNDETECTED, f"told otherwise: {different[:3]}"
        return HARMLESS, ""


# SQLite


async def dump_sqlite(address: str) -> dict[str, Any]:
    """Every table as its rows lie in it, and again in the order of each of its indexes."""
    found: dict[str, Any] = {}
    with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection:
        connection.text_factory = bytes
        tables = _tables(connection)
        for words in ("capability_words", "server_words"):
            found[words] = _words(connection, words)
        for table, sql in tables.items():
            if table.endswith(("_words_data", "_words_idx")):
                # How an index of words is built is its own affair: what it holds and finds is above.
                continue
            found[table] = (sql, sorted(map(repr, connection.execute(f"SELECT * FROM {table} NOT INDEXED"))))
            for row in connection.execute(f"PRAGMA index_list({table})").fetchall():
                index = row[1].decode()
                columns = [each[2].decode() for each in connection.execute(f"PRAGMA index_info('{index}')")]
                order = ", ".join(columns)
                rows = connection.execute(
                    f'SELECT {order} FROM {table} INDEXED BY "{index}" ORDER BY {order}'
                ).fetchall()
                found[f"{table} by {index}"] = rows
    return found


def _words(connection: sqlite3.Connection, table: str) -> list[Any]:
    """Every word with every number it stands for, and what is found when it is looked up."""
    connection.execute(f"CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, {table}, instance)")
    pairs = connection.execute("SELECT term, doc FROM temp.v").fetchall()
    connection.execute("DROP TABLE temp.v")
    lookup = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid"
    found = [
        (term, connection.execute(lookup, (f'"{term.decode()}"',)).fetchall()) for term in sorted(dict(pairs))
    ]
    return [sorted(pairs), found]


def _tables(connection: sqlite3.Connection) -> dict[str, bytes]:
    sql = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
        "AND name NOT LIKE 'sqlite%'"
    )
    return {
        name.decode() if isinstance(name, bytes) else name: text for name, text in connection.execute(sql)
    }


@dataclass(frozen=True)
class Cell:
    """One value of one row, and how to change it."""

    table: str
    column: str
    key: tuple[Any, ...]
    where: str
    value: Any


def sqlite_cells(path: Path) -> list[Cell]:
    """Every value of every row of every table that is not nothing, those of the word indexes included."""
    cells = []
    with closing(sqlite3.connect(path)) as connection:
        for table in _tables(connection):
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            keys = [row[1] for row in sorted(columns, key=lambda row: row[5]) if row[5]] or ["rowid"]
            where = " AND ".join(f"{key} IS ?" for key in keys)
            for _, column, *_ in columns:
                rows = connection.execute(f"SELECT {column}, {', '.join(keys)} FROM {table}").fetchall()
                cells += [
                    Cell(table, column, tuple(key), where, value)
                    for value, *key in rows
                    if value not in (None, "", b"")
                ]
    return cells


async def flip_sqlite_cells(path: Path, flips: int, chance: random.Random, tally: Tally) -> None:
    """Through SQL, as somebody would who has the file; every column of every table gets its turn."""
    judge = Judge(dump_sqlite)
    await judge.learn(f"sqlite:///{path}")
    _rest(path)
    pristine = path.read_bytes()
    for cell in _fairly(sqlite_cells(path), flips, chance, lambda cell: (cell.table, cell.column)):
        bit = chance.randrange(64 if isinstance(cell.value, int) else 8 * len(_raw(cell.value)))
        with closing(sqlite3.connect(path)) as connection:
            given = "CAST(? AS TEXT)" if isinstance(cell.value, str) else "?"
            sql = f"UPDATE {cell.table} SET {cell.column} = {given} WHERE {cell.where}"
            try:
                connection.execute(sql, (_flipped_value(cell.value, bit), *cell.key))
                connection.commit()
            except sqlite3.DatabaseError:
                tally.add(f"SQLite: cells of {cell.table}", REFUSED)
                continue
        outcome, why = await judge.outcome(f"sqlite:///{path}")
        tally.add(f"SQLite: cells of {cell.table}", outcome, f"{cell.column} of {cell.key}, bit {bit}: {why}")
        _put(path, pristine)


async def flip_sqlite_file(path: Path, flips: int, chance: random.Random, tally: Tally) -> None:
    """Any bit of the file, whatever page it is in; one in ten in what SQLite itself says is empty."""
    judge = Judge(dump_sqlite)
    await judge.learn(f"sqlite:///{path}")
    _rest(path)
    pristine = path.read_bytes()
    gaps = _gaps(pristine)
    empty = [byte for gap in gaps for byte in gap]
    used = sorted({*range(len(pristine))} - {*empty})
    for number in range(flips):
        is_empty = number % 10 == 9
        bit = 8 * chance.choice(empty if is_empty else used) + chance.randrange(8)
        _put(path, flipped(pristine, bit))
        outcome, why = await judge.outcome(f"sqlite:///{path}")
        place = f"SQLite: bits of the file, {'between' if is_empty else 'in'} cells"
        tally.add(place, outcome, f"byte {bit // 8} (page {bit // 8 // 4096 + 1}), bit {bit % 8}: {why}")
    _put(path, pristine)


def _gaps(data: bytes) -> list[range]:
    """What lies in each page of a tree between the pointers and the cells that they lead to."""
    size = int.from_bytes(data[16:18])
    gaps = []
    for start in range(0, len(data), size):
        header = start + (100 if start == 0 else 0)
        # Table and index pages begin with these numbers; others hold what did not fit into one.
        if data[header] not in (2, 5, 10, 13):
            continue
        cells, content = int.from_bytes(data[header + 3 : header + 5]), data[header + 5 : header + 7]
        pointers = header + (12 if data[header] in (2, 5) else 8)
        gaps.append(range(pointers + 2 * cells, start + (int.from_bytes(content) or 65_536)))
        # What was deleted: a list of holes, each with where the next one is and how large it is itself.
        hole = int.from_bytes(data[header + 1 : header + 3])
        while hole:
            place = start + hole
            gaps.append(range(place + 4, place + int.from_bytes(data[place + 2 : place + 4])))
            hole = int.from_bytes(data[place : place + 2])
    return gaps


def _rest(path: Path) -> None:
    """Everything into the one file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _put(path: Path, data: bytes) -> None:
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(data)


def _raw(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _flipped_value(value: Any, bit: int) -> Any:
    if isinstance(value, int):
        return int.from_bytes(flipped(value.to_bytes(8, signed=True), bit), signed=True)
    return flipped(_raw(value), bit)


def _fairly(
    cells: list[Any], flips: int, chance: random.Random, place: Callable[[Any], Any]
) -> Iterator[Any]:
    """So many of them, each column equally often."""
    places: dict[Any, list[Any]] = {}
    for cell in cells:
        places.setdefault(place(cell), []).append(cell)
    columns = chance.sample(list(places.values()), len(places))
    for number in range(flips):
        yield chance.choice(columns[number % len(columns)])
