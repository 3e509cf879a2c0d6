"""A registry in this process for each test, on SQLite; tests of attacks use PostgreSQL too."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from avow.registry.store.opening import open_store
from registry_running import SIGNER, Running, running


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without anything in it: making the tables takes longer than most tests."""
    path = tmp_path_factory.mktemp("registry") / "registry.sqlite"

    async def make() -> None:
        await (await open_store(f"sqlite:///{path}", SIGNER)).close()

    asyncio.run(make())
    return path


@pytest.fixture
def address(empty_store: Path, tmp_path: Path) -> str:
    """The address of a store of its own."""
    path = tmp_path / "registry.sqlite"
    shutil.copy(empty_store, path)
    return f"sqlite:///{path}"


@pytest.fixture
async def registry(address: str) -> AsyncIterator[Running]:
    async with running(address) as registry:
        yield registry
