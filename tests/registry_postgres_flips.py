"""One flipped bit at a time in a registry's PostgreSQL: in its rows, and in the files that hold them."""

import asyncio
import random
from pathlib import Path
from typing import Any

import asyncpg

from registry_postgres import Postgres
from registry_store_flips import DETECTED, REFUSED, Judge, Tally, first_problem, flipped

_PAGE = 8192
_AT_ONCE = 25

_BITS = {"smallint": 16, "integer": 32, "bigint": 64}
_COLUMNS = (
    "SELECT table_name, column_name, data_type FROM information_schema.columns "
    "WHERE table_schema = 'public' ORDER BY 1, 2"
)


async def dump_postgres(address: str) -> dict[str, Any]:
    """Every table as its rows lie in it, and again in the order of each of its indexes."""
    connection = await asyncpg.connect(address)
    try:
        found: dict[str, Any] = {}
        for table in sorted({row[0] for row in await connection.fetch(_COLUMNS)}):
            await connection.execute("SET enable_seqscan = on; SET enable_indexscan = off")
            rows = await connection.fetch(f"SELECT t::text FROM {table} t")
            found[table] = sorted(row[0] for row in rows)
            sql = (
                "SELECT i.relname, string_agg(a.attname, ', ' ORDER BY k.place) FROM pg_index x "
                "JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam "
                "CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY k(number, place) "
                "JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number "
                "WHERE x.indrelid = $1::regclass AND m.amname = 'btree' GROUP BY i.relname"
            )
            await connection.execute("SET enable_seqscan = off; SET enable_indexscan = on")
            for name, columns in await connection.fetch(sql, table):
                ordered = await connection.fetch(f"SELECT {columns} FROM {table} ORDER BY {columns}")
                found[f"{table} by {name}"] = [tuple(row) for row in ordered]
        return found
    finally:
        await connection.close()


async def postgres_cells(connection: Any) -> list[tuple[str, str, str]]:
    """Every column of every table, with its type."""
    cells = [tuple(row) for row in await connection.fetch(_COLUMNS)]
    return [
        cell
        for cell in cells
        if await connection.fetchval(f"SELECT 1 FROM {cell[0]} WHERE {cell[1]} IS NOT NULL LIMIT 1")
    ]


async def flip_postgres_cells(address: str, flips: int, chance: random.Random, tally: Tally) -> None:
    """Through SQL, as somebody would who may write to the database."""
    judge = Judge(dump_postgres)
    await judge.learn(address)
    connection = await asyncpg.connect(address)
    try:
        cells = await postgres_cells(connection)
        chance.shuffle(cells)
        for number in range(flips):
            table, column, kind = cells[number % len(cells)]
            await _flip_postgres_cell(connection, judge, address, (table, column, kind), chance, tally)
            if number % 500 == 499:
                await connection.execute("VACUUM FULL")
        assert await first_problem(address) == ""
    finally:
        await connection.close()


async def _flip_postgres_cell(
    connection: Any,
    judge: Judge,
    address: str,
    cell: tuple[str, str, str],
    chance: random.Random,
    tally: Tally,
) -> None:
    table, column, kind = cell
    read, write = {
        "text": (f"convert_to({column}, 'UTF8')", "convert_from($2, 'UTF8')"),
        "character varying": (f"convert_to({column}, 'UTF8')", "convert_from($2, 'UTF8')"),
        "tsvector": (f"convert_to({column}::text, 'UTF8')", "convert_from($2, 'UTF8')::tsvector"),
    }.get(kind, (column, "$2"))
    rows = await connection.fetch(f"SELECT ctid, {read} FROM {table} WHERE {column} IS NOT NULL")
    rows = [row for row in rows if row[1] != b""]
    if not rows:
        return
    place, value = chance.choice(rows)
    size = _BITS.get(kind) or 8 * len(value)
    bit = chance.randrange(size)
    if kind in _BITS:
        changed: Any = int.from_bytes(flipped(value.to_bytes(size // 8, signed=True), bit), signed=True)
    else:
        changed = flipped(value, bit)
    update = f"UPDATE {table} SET {column} = {write} WHERE ctid = $1 RETURNING ctid"
    try:
        moved = await connection.fetchval(update, place, changed)
    except asyncpg.PostgresError:
        # Half a letter, a word that is none, a key that another row has: PostgreSQL does not store it.
        tally.add(f"PostgreSQL: cells of {table}", REFUSED)
        return
    outcome, why = await judge.outcome(address)
    tally.add(f"PostgreSQL: cells of {table}", outcome, f"{column}, bit {bit} of {value!r:.60}: {why}")
    await connection.fetchval(update, moved, value)


def flip_heap(
    server: Postgres, address: str, flips: int, chance: random.Random, tally: Tally, *, has_checksums: bool
) -> None:
    """Any bit of the files of the tables, while the server is stopped: one in each of many copies.

    With checksums the files of the indexes get theirs, too: without, PostgreSQL cannot know what was in them.
    """
    label = "with checksums" if has_checksums else "without checksums"
    kinds = "rti" if has_checksums else "rt"
    judge = Judge(dump_postgres)
    asyncio.run(judge.learn(address))
    done = 0
    while done < flips:
        count = min(_AT_ONCE, flips - done)
        copies = asyncio.run(_copy(address, count, kinds))
        server.stop()
        places = [_flip_file(chance.choice(copies[each]), chance) for each in copies]
        server.start()
        for copy, place in zip(copies, places, strict=True):
            outcome, why = asyncio.run(_judged(judge, copy))
            where = "between rows" if place.startswith("between") else "in rows"
            tally.add(f"PostgreSQL: bits of its files, {where}, {label}", outcome, f"{place}: {why}")
        asyncio.run(_drop(address, list(copies)))
        done += count


async def _judged(judge: Judge, address: str) -> tuple[str, str]:
    """A server that fell over a damaged page is given time to stand up again."""
    await _stands(address)
    try:
        return await judge.outcome(address)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, UnicodeError) as error:
        return DETECTED, f"the server says {error}"


async def _stands(address: str) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await (await asyncpg.connect(_other(address, "postgres"))).close()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await asyncio.sleep(0.1)
            else:
                return


async def _copy(address: str, count: int, kinds: str) -> dict[str, list[Path]]:
    """Copies of a database, file by file, and where the files of the tables of each are."""
    connection = await asyncpg.connect(_other(address, "postgres"))
    name = _name(address)
    try:
        root = Path(await connection.fetchval("SHOW data_directory"))
        copies = {}
        for number in range(count):
            copy = f"{name}_{number}"
            await connection.execute(f"CREATE DATABASE {copy} TEMPLATE {name} STRATEGY file_copy")
            copies[copy] = await connection.fetchval("SELECT oid FROM pg_database WHERE datname = $1", copy)
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()
    files = await _files(address, kinds)
    return {
        _other(address, copy): [root / "base" / str(number) / file for file in files]
        for copy, number in copies.items()
    }


async def _files(address: str, kinds: str) -> list[str]:
    """The files of tables and indexes with something in them, and of what did not fit into rows."""
    connection = await asyncpg.connect(address)
    try:
        sql = (
            "SELECT pg_relation_filenode(oid)::text FROM pg_class WHERE relkind = ANY($1) "
            "AND pg_relation_size(oid) > 0 AND (relnamespace = 'public'::regnamespace OR oid IN "
            "(SELECT reltoastrelid FROM pg_class WHERE relnamespace = 'public'::regnamespace))"
        )
        return [row[0] for row in await connection.fetch(sql, [each.encode() for each in kinds])]
    finally:
        await connection.close()


async def _drop(address: str, copies: list[str]) -> None:
    await _stands(address)
    connection = await asyncpg.connect(_other(address, "postgres"))
    try:
        for copy in copies:
            await connection.execute(f"DROP DATABASE {_name(copy)} WITH (FORCE)")
    finally:
        await connection.close()


def _flip_file(file: Path, chance: random.Random) -> str:
    """Flip a bit; nine in ten in what a page uses, the others in what it says is empty."""
    data = file.read_bytes()
    page = _PAGE * chance.randrange(len(data) // _PAGE)
    lower, upper = (int.from_bytes(data[page + at : page + at + 2], "little") for at in (12, 14))
    empty = chance.random() < 0.1 and upper > lower
    used = [*range(lower), *range(upper, _PAGE)]
    byte = page + (chance.randrange(lower, upper) if empty else chance.choice(used))
    bit = chance.randrange(8)
    file.write_bytes(flipped(data, 8 * byte + bit))
    return f"{'between' if empty else 'in'} rows of {file.name}, byte {byte}, bit {bit}"


def _name(address: str) -> str:
    return address.partition("@/")[2].partition("?")[0]


def _other(address: str, name: str) -> str:
    return address.replace(f"@/{_name(address)}?", f"@/{name}?")
