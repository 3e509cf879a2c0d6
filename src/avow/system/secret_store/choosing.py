"""Which store to use: the one that is asked for, else the keyring if it answers at once, else the file."""

import os
from contextlib import suppress
from typing import Final

from avow.system.directories import config_directory, data_directory
from avow.system.secret_store.encrypted import EncryptedFile
from avow.system.secret_store.model import SecretStore, SecretStoreError, StoreKind

_VARIABLE: Final = "AVOW_SECRET_STORE"


def open_store(kind: StoreKind | None = None) -> SecretStore:
    """The store of this kind, or the best one that works here and now.

    `AVOW_SECRET_STORE=file` or `=keyring` chooses where nothing is asked for. A keyring that is locked or
    does not answer within a moment is not waited for.

    Raises:
        SecretStoreError: the store that was asked for does not work here.
    """
    match kind or _preferred():
        case StoreKind.FILE:
            return _file()
        case StoreKind.KEYRING:
            return _keyring()
        case None:
            with suppress(SecretStoreError):
                return _keyring()
            return _file()


def _preferred() -> StoreKind | None:
    word = os.environ.get(_VARIABLE)
    if not word:
        return None
    try:
        return StoreKind(word)
    except ValueError:
        raise SecretStoreError(
            f"{_VARIABLE} is none of {', '.join(StoreKind)}", hint=f"set {_VARIABLE}=file, or nothing"
        ) from None


def _file() -> SecretStore:
    # Two directories: a copy of one of them gives nothing away.
    return EncryptedFile(data_directory() / "secrets.json", config_directory() / "keys" / "secrets.key")


def _keyring() -> SecretStore:
    from avow.system.secret_store.keyrings import open_keyring

    store = open_keyring(data_directory() / "keyring")
    if store is None:
        raise SecretStoreError(
            "this system has no keyring that is running", hint="set AVOW_SECRET_STORE=file"
        )
    return store
