"""Opens the store that an address names, with its tables up to date."""

from avow.errors import UsageError
from avow.registry.store.interface import Signer, Store


async def open_store(address: str, signer: Signer | None) -> Store:
    """Open `sqlite:///FILE` or `postgresql://…`, creating and migrating tables as needed.

    Without a signer everything can be read, and what the log would record is refused.

    Raises:
        UsageError: the address is neither.
        StorageError: it cannot be opened, or the log was begun with another key.
    """
    raise UsageError(f"{address!r} cannot be opened yet: {signer}")
