"""How a store differs from one that was computed from the same log: row by row, and word by word."""

from collections.abc import AsyncGenerator
from hashlib import sha256
from typing import Any, Final

from avow.core.tlog.notes import VerifierKey
from avow.registry.store import dumping, word_index
from avow.registry.store.base import SqlStore

_MODULUS: Final = 1 << 256


async def differences(store: SqlStore, copy: SqlStore, key: VerifierKey) -> AsyncGenerator[str, None]:
    """What differs, in words; a page of each table is in memory at a time."""
    _, _, *counters = await copy.dump(dumping.state)
    if await store.dump(dumping.state) != (key.name, str(key), *counters):
        yield "registry_log: the numbers given out, or the key, are not what follows from the log"
    for table in dumping.KEYS:
        there, computed = [await each.dump(dumping.extent, table) for each in (store, copy)]
        if there != computed:
            yield f"{table}: {there[0]} rows, from {there[1]} to {there[2]}, do not follow from the log"
        for after in range(computed[1] or 0, (computed[2] or 0) + 1, dumping.page_of(table)):
            if wrong := await _wrong(store, copy, table, after):
                yield f"{table}: {wrong} row(s) from {after} are not what follows from the log"
    for table in dumping.WORDS:
        if await _sum(store, table) != await _sum(copy, table):
            yield f"{table}: the index of words is not that of what is stored"
    if isinstance(store, type(copy)) and await store.dump(dumping.schema) != await copy.dump(dumping.schema):
        yield "the tables were not made by this program"


async def _wrong(store: SqlStore, copy: SqlStore, table: str, after: int) -> int:
    there, computed = [await each.dump(dumping.rows, table, after) for each in (store, copy)]
    return 0 if there == computed else max(len({*there} - {*computed}), len({*computed} - {*there}), 1)


async def _sum(store: SqlStore, table: str) -> tuple[int, int]:
    """A sum over all pairs of word and number, in whatever order a database has them; and their count."""
    total = count = 0
    after: tuple[Any, int] = ("", -(2**63))
    while page := await store.dump(word_index.pairs, table, after):
        for word, number, is_good in page:
            if word:
                total += int.from_bytes(sha256(f"{number} {word} {is_good}".encode()).digest())
                count += 1
        after = page[-1][:2]
    return total % _MODULUS, count
