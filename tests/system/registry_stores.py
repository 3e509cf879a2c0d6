"""Both kinds of store for the same tests: a fixture that opens an empty one."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from registry_postgres import Postgres, running_postgres
from registry_samples import SIGNER, claimed

KINDS = ("sqlite", "postgresql")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests; each gets a database of its own."""
    with running_postgres() as server:
        yield server


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty store may be."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/registry.db"
    server: Postgres = request.getfixturevalue("postgres")
    return server.address()


@pytest.fixture
async def store(address: str, anyio_backend: str) -> AsyncIterator[Store]:
    """An empty store with one namespace in it."""
    opened = await open_store(address, SIGNER)
    try:
        yield await claimed(opened)
    finally:
        await opened.close()
