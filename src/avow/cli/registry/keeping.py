"""The options of what works on a registry's own store: which one it is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from avow.cli.options import Decorator
from avow.errors import StorageError
from avow.system.directories import data_directory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from avow.registry.opening import Place
    from avow.registry.store.interface import Store

T = TypeVar("T")

data_option: Decorator[Any] = click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the registry keeps its key and file.",
)
database_option: Decorator[Any] = click.option(
    "--database",
    envvar="AVOW_REGISTRY_DATABASE",
    default="",
    metavar="URL",
    help="sqlite:///FILE or postgresql://…; a file in the data directory unless given.",
)


def place_of(data: Path | None, database: str) -> "Place":
    """Where a registry keeps what it needs."""
    from avow.registry.opening import Place

    return Place((data or data_directory() / "registry").absolute(), database)


def with_store(place: "Place", action: "Callable[[Store], Awaitable[T]]", *, may_be_new: bool = False) -> T:
    """Do something with a registry's store, and let go of it.

    Raises:
        StorageError: there is no registry, and it may not be a new one.
        AvowError: it cannot be opened, or the action failed.
    """
    import asyncio

    from avow.registry.opening import ORIGIN, log_signer
    from avow.registry.store.opening import open_store

    if not may_be_new and not (place.data / ORIGIN).exists():
        raise StorageError(f"there is no registry in {place.data}", hint="name its directory with --data")

    async def run() -> T:
        store = await open_store(place.address, log_signer(place))
        try:
            return await action(store)
        finally:
            await store.close()

    return asyncio.run(run())
