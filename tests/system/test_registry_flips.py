"""No bit of a registry changes unnoticed: a few of those that `benchmarks/registry_flips.py` flips."""

import asyncio
import random
from pathlib import Path

import pytest

from registry_client_flips import Task, flip_answers, tasks
from registry_postgres import Postgres, running_postgres
from registry_postgres_flips import flip_heap, flip_postgres_cells
from registry_store_flips import (
    DETECTED,
    HARMLESS,
    UNDETECTED,
    Tally,
    flip_sqlite_cells,
    flip_sqlite_file,
)
from registry_stores import *  # noqa: F403  fixtures
from registry_story import told_story


async def recorded(address: str, directory: Path) -> list[Task]:
    """A registry with a story, and what clients fetch from it."""
    async with told_story(address) as (registry, receipts):
        return await tasks(registry, receipts, directory)


def test_no_bit_of_sqlite_changes_unnoticed(tmp_path: Path) -> None:
    """In a value of any column of any table, or anywhere in the file."""
    path, tally = tmp_path / "registry.db", Tally()
    asyncio.run(recorded(f"sqlite:///{path}", tmp_path / "memory"))

    asyncio.run(flip_sqlite_cells(path, 50, random.Random(1), tally))
    assert tally.total(UNDETECTED, HARMLESS) == 0, tally.told
    asyncio.run(flip_sqlite_file(path, 20, random.Random(2), tally))

    assert tally.total(UNDETECTED) == 0, tally.told
    assert tally.total(DETECTED) > 55


def test_no_bit_of_a_row_in_postgres_changes_unnoticed(postgres: Postgres, tmp_path: Path) -> None:
    address, tally = postgres.address(), Tally()
    asyncio.run(recorded(address, tmp_path))

    asyncio.run(flip_postgres_cells(address, 25, random.Random(3), tally))

    assert tally.total(UNDETECTED, HARMLESS) == 0, tally.told
    assert tally.total(DETECTED) > 15


@pytest.mark.parametrize("has_checksums", [False, True])
def test_no_bit_in_the_files_of_postgres_changes_unnoticed(tmp_path: Path, has_checksums: bool) -> None:
    """Flipped while the server is stopped; without checksums, what changes nothing may stay."""
    tally = Tally()
    with running_postgres() as server:
        address = server.address()
        asyncio.run(recorded(address, tmp_path))
        if has_checksums:
            server.enable_checksums()
        flip_heap(server, address, 6, random.Random(4), tally, has_checksums=has_checksums)

    assert tally.total(UNDETECTED) == 0, tally.told
    assert tally.total(DETECTED) == 6 if has_checksums else tally.flips == 6


def test_no_bit_of_an_answer_is_believed(address: str, tmp_path: Path) -> None:
    """Checkpoints, tiles, bundles, proofs, envelopes, decisions, drift and receipts, on their way."""
    everything, tally = asyncio.run(recorded(address, tmp_path / "memory")), Tally()

    flip_answers(everything, 400, random.Random(5), tally, tmp_path / "memory", "answers")

    assert tally.total(UNDETECTED) == 0, tally.told
    assert tally.total(DETECTED) > 250
    assert tally.counts["answers: tiles, bundles"] == {DETECTED: 50}
