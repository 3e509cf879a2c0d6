"""Where secrets are kept: the system's keyring where there is one, else an encrypted file; never in clear.

`open_store()` chooses; what was stored says where it is, so that it is looked for in the same place again.
"""

from avow.system.secret_store.choosing import open_store
from avow.system.secret_store.model import (
    SecretStore,
    SecretStoreError,
    StoreDescription,
    StoreKind,
    StoreLockedError,
    TamperedSecretError,
)

__all__ = [
    "SecretStore",
    "SecretStoreError",
    "StoreDescription",
    "StoreKind",
    "StoreLockedError",
    "TamperedSecretError",
    "open_store",
]
