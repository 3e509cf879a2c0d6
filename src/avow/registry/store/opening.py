"""Opens the store that an address names, with its tables up to date."""

from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from avow.core.tlog.notes import Signer
from avow.errors import UsageError
from avow.registry.store.interface import Store

_HINT: Final = "give sqlite:///FILE or postgresql://USER@HOST/DATABASE"


async def open_store(address: str, signer: Signer | None) -> Store:
    """Open `sqlite:///FILE` or `postgresql://…`, creating and migrating tables as needed.

    Without a signer everything can be read, and what the log would record is refused.

    Raises:
        UsageError: the address is neither.
        StorageError: it cannot be opened, or the log was begun with another key.
    """
    if (file := sqlite_file(address)) is not None:
        from avow.registry.store.sqlite import SqliteStore

        return await SqliteStore.open(file, signer)
    scheme = address.partition("://")[0]
    if scheme in ("postgresql", "postgres"):
        from avow.registry.store.postgres import PostgresStore

        return await PostgresStore.open(address, signer)
    raise UsageError(f"{_shown(address)} is not the address of a store", hint=_HINT)


def sqlite_file(address: str) -> Path | None:
    """The file that an address names; None where it names none."""
    scheme, _, rest = address.partition("://")
    # As SQLAlchemy reads it: three slashes for a path from here, four for one from the root.
    return Path(unquote(rest[1:])) if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1 else None


def _shown(address: str) -> str:
    """The address without what could be a password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://…" if parts.scheme else repr(address[:80])
