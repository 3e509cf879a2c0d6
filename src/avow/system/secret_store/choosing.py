"""Which store to use: the one that is asked for, else the keyring if it answers at once, else the file."""

from avow.system.secret_store.model import SecretStore, StoreKind


def open_store(kind: StoreKind | None = None) -> SecretStore:
    """The store of this kind, or the best one that works here and now.

    `AVOW_SECRET_STORE=file` or `=keyring` chooses for everybody. A keyring that is locked or does not
    answer within a moment is not waited for.

    Raises:
        SecretStoreError: the store that was asked for does not work here.
    """
    raise NotImplementedError
