"""Flips one random bit at a time in a registry's log, database and answers, and counts who notices.

Run as `benchmarks/registry_flips.py [sqlite] [postgresql] [--flips N] [--seed N]`. A registry in which every
kind of entry and every table has something is made anew for each database, both at once. Some thousand flips
are in cells of its tables and in its files, since a whole audit follows each; all others are in what a client
fetches: checkpoints, tiles, bundles, proofs, envelopes, decisions, drift and receipts. It ends with code 1
when a flip was not noticed.
"""

import argparse
import asyncio
import os
import platform
import random
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from registry_client_flips import Task, flip_answers, tasks
from registry_postgres import Postgres, running_postgres
from registry_postgres_flips import flip_heap, flip_postgres_cells
from registry_store_flips import (
    DETECTED,
    HARMLESS,
    REFUSED,
    UNDETECTED,
    UNPROVED,
    Tally,
    flip_sqlite_cells,
    flip_sqlite_file,
)
from registry_story import told_story

FLIPS = 140_000
CELLS = 0.01
FILE = 0.01
HEAP = 0.001


async def story(address: str, directory: Path) -> list[Task]:
    """Make the registry; the answer is what clients fetch from it."""
    async with told_story(address) as (registry, receipts):
        return await tasks(registry, receipts, directory / "memory")


def on_sqlite(directory: Path, flips: int, chance: random.Random, tally: Tally) -> None:
    path = directory / "registry.db"
    everything = asyncio.run(story(f"sqlite:///{path}", directory))
    cells, bits = int(flips * CELLS), int(flips * FILE)
    asyncio.run(flip_sqlite_cells(path, cells, chance, tally))
    asyncio.run(flip_sqlite_file(path, bits, chance, tally))
    flip_answers(everything, flips - cells - bits, chance, tally, directory / "memory", "SQLite")


def on_postgres(server: Postgres, directory: Path, flips: int, chance: random.Random, tally: Tally) -> None:
    address = server.address()
    everything = asyncio.run(story(address, directory))
    cells, bits = int(flips * CELLS), int(flips * HEAP)
    asyncio.run(flip_postgres_cells(address, cells, chance, tally))
    flip_heap(server, address, bits, chance, tally, has_checksums=False)
    server.enable_checksums()
    flip_heap(server, address, bits, chance, tally, has_checksums=True)
    flip_answers(everything, flips - cells - 2 * bits, chance, tally, directory / "memory", "PostgreSQL")


def tell(tally: Tally, seconds: float) -> None:
    outcomes = (DETECTED, HARMLESS, UNPROVED, UNDETECTED, REFUSED)
    print(f"  {'place':58}" + "".join(f"{each:>25}" for each in outcomes))
    for place, counts in sorted(tally.counts.items()):
        print(f"  {place:58}" + "".join(f"{counts[each] or '':>25}" for each in outcomes))
    print(f"  {'all':58}" + "".join(f"{tally.total(each):>25}" for each in outcomes))
    for line in tally.told:
        if line.startswith(UNDETECTED):
            print(f"  {line[:400]}")
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{tally.flips} flips in {seconds:.0f} s on {machine}")


def flip(database: str, flips: int, seed: int) -> Tally:
    """All flips in a registry on one kind of database."""
    tally, chance = Tally(), random.Random(f"{seed} {database}")
    # Files that live for a moment: they need not reach a disk.
    inside = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="avow-flips-", dir=inside) as directory:
        if database == "sqlite":
            tempfile.tempdir = directory
            on_sqlite(Path(directory), flips, chance, tally)
        else:
            with running_postgres() as server:
                tempfile.tempdir = directory
                on_postgres(server, Path(directory), flips, chance, tally)
        tempfile.tempdir = None
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("databases", nargs="*", metavar="sqlite|postgresql")
    parser.add_argument("--flips", type=int, default=FLIPS)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    databases = chosen.databases or ["sqlite", "postgresql"]
    if not {*databases} <= {"sqlite", "postgresql"}:
        parser.error("the databases are sqlite and postgresql")
    began, whole = time.perf_counter(), Tally()
    share = chosen.flips // len(databases)
    with ProcessPoolExecutor(len(databases), mp_context=get_context("spawn")) as pool:
        for tally in pool.map(partial(flip, flips=share, seed=chosen.seed), databases):
            whole.counts |= tally.counts
            whole.told += tally.told
    tell(whole, time.perf_counter() - began)
    return 1 if whole.total(UNDETECTED) else 0


if __name__ == "__main__":
    sys.exit(main())
