"""Whether the indexes of a PostgreSQL lead to the rows that its tables hold, all of them and no others.

SQLite has a command for that. Here every sorted index is walked from end to end and summed up, and so is the
table itself, sorted; every word is looked up, and counted in the table. Nothing of it is kept, or written.
A key that was changed inside an index, between its neighbours, is not seen: page checksums see that.
"""

from collections.abc import Sequence
from typing import Final

from avow.registry.store.database import Database, Row

_INDEXES: Final = (
    "SELECT t.relname, i.relname, string_agg(quote_ident(a.attname), ', ' ORDER BY k.place) "
    "FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid "
    "JOIN pg_am m ON m.oid = i.relam CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY k(number, place) "
    "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number WHERE m.amname = 'btree' "
    "AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('registry_log')) "
    "GROUP BY t.relname, i.relname"
)
_BY_INDEX: Final = ("enable_indexscan", "enable_indexonlyscan")
_BY_TABLE: Final = ("enable_seqscan", "enable_sort", "enable_incremental_sort")


async def disagreements(database: Database, words: Sequence[str]) -> list[str]:
    """The indexes that do not lead where they should; `words` are the indexes of words."""
    indexes = [tuple(row) for row in await database.fetch(_INDEXES)]
    await _walk(database, by_index=False)
    rows = [await _sum(database, table, columns) for table, _, columns in indexes]
    await _walk(database, by_index=True)
    through = [await _sum(database, table, columns) for table, _, columns in indexes]
    found = [
        f"{index} does not lead to the rows of {table}"
        for (table, index, _), one, other in zip(indexes, rows, through, strict=True)
        if one != other
    ]
    for table in words:
        # Names of ours, not of anybody who asks.
        sql = (
            f"SELECT 1 FROM ts_stat('SELECT words FROM {table}') s WHERE s.ndoc <> (SELECT count(*) "  # noqa: S608
            f"FROM {table} WHERE words @@ array_to_tsvector(ARRAY[s.word])::text::tsquery) LIMIT 1"
        )
        if await database.fetch(sql):
            found.append(f"the index of {table} does not lead to its rows")
    return found


async def _sum(database: Database, table: str, columns: str) -> Row:
    sql = (
        f"SELECT count(*), sum(hashtextextended(x::text, nth)::numeric) "  # noqa: S608
        f"FROM (SELECT {columns}, row_number() OVER (ORDER BY {columns}) AS nth FROM {table}) x"
    )
    return tuple((await database.fetch(sql))[0])


async def _walk(database: Database, *, by_index: bool) -> None:
    """Choose the way, until this transaction ends."""
    chosen = dict.fromkeys(_BY_INDEX, by_index) | dict.fromkeys(_BY_TABLE, not by_index)
    settings = (f"set_config('{name}', '{'on' if is_on else 'off'}', true)" for name, is_on in chosen.items())
    await database.fetch(f"SELECT {', '.join(settings)}")
