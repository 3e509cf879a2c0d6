"""The indexes of words from inside: what is in them, and whether everything in them can be found."""

from collections.abc import Sequence
from typing import Any, Final

from avow.registry.store.database import Database

_ROWS: Final = 500

# What FTS5 leaves out when it checks itself. A row of `_idx` says on which page of a segment a word is to be
# looked for: the number of the page, doubled, and one more if it has an outline of its own. Both are rows of
# `_data`, numbered by the segment and the page; 1 and 10 there are the totals of the index and its plan.
_INSIDE: Final = {
    "a page is not where it is looked for": (
        "SELECT 1 FROM {0}_idx i WHERE NOT EXISTS "
        "(SELECT 1 FROM {0}_data d WHERE d.id = (i.segid << 37) + (i.pgno >> 1)) LIMIT 1"
    ),
    "an outline is not where it is looked for": (
        "SELECT 1 FROM {0}_idx i WHERE (i.pgno & 1) <> EXISTS "
        "(SELECT 1 FROM {0}_data d WHERE d.id = (i.segid << 37) + (1 << 36) + (i.pgno >> 1)) LIMIT 1"
    ),
    "a number is none of a page": (
        "SELECT 1 FROM {0}_idx WHERE segid NOT BETWEEN 1 AND 65535 OR pgno NOT BETWEEN 2 AND 1 << 32 LIMIT 1"
    ),
    "nothing leads to a page": (
        "SELECT 1 FROM {0}_data WHERE id >= 1 << 37 AND id >> 37 NOT IN (SELECT segid FROM {0}_idx) LIMIT 1"
    ),
    "a page is of no segment": "SELECT 1 FROM {0}_data WHERE id < 1 << 37 AND id NOT IN (1, 10) LIMIT 1",
    "a word is not found where it is": (
        "SELECT 1 FROM temp.avow_terms t WHERE t.doc <> "
        "(SELECT count(*) FROM {0} WHERE {0} MATCH '\"' || t.term || '\"') LIMIT 1"
    ),
}


async def pairs(database: Database, table: str, after: tuple[Any, int]) -> Sequence[tuple[Any, int, bool]]:
    """A page of the pairs of word and number in an index, and whether each is stored as it should be.

    `after` is the last pair of the page before; an empty page is the end.
    """
    if database.dialect == "sqlite":
        await _describe(database, table, "instance")
        sql = (
            "SELECT term, doc FROM temp.avow_terms WHERE term >= $1 AND NOT (term = $1 AND doc <= $2) "
            "LIMIT 20000"
        )
        return [(term, number, True) for term, number in await database.fetch(sql, *after)]
    # Names of ours, not of anybody who asks.
    sql = (
        "SELECT id, tsvector_to_array(words), words = array_to_tsvector(tsvector_to_array(words)) "  # noqa: S608
        f"FROM {table} WHERE id > $1 ORDER BY id LIMIT {_ROWS}"
    )
    found = await database.fetch(sql, after[1])
    return [(word, number, good) for number, listed, good in found for word in listed or [""]]


async def damage(database: Database, table: str) -> list[str]:
    """What is wrong with an index of FTS5 as such, whatever it should hold."""
    await database.fetch(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")  # noqa: S608
    await _describe(database, table, "row")
    return [f"{table}: {what}" for what, sql in _INSIDE.items() if await database.fetch(sql.format(table))]


async def settings(database: Database, table: str) -> Sequence[str]:
    """The settings and the totals of an index of FTS5, which are the same in one made of the same words."""
    sql = (
        f"SELECT k, v FROM {table}_config UNION ALL "  # noqa: S608
        f"SELECT id, block FROM {table}_data WHERE id = 1 ORDER BY 1"
    )
    return [repr(tuple(row)) for row in await database.fetch(sql)]


async def _describe(database: Database, table: str, kind: str) -> None:
    """Make the words of an index readable as a table, until this transaction ends."""
    await database.fetch("DROP TABLE IF EXISTS temp.avow_terms")
    await database.fetch(f"CREATE VIRTUAL TABLE temp.avow_terms USING fts5vocab(main, {table}, {kind})")
