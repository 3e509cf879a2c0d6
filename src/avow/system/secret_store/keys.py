"""The key of the encrypted file: from a passphrase that somebody gives, else from a file for its owner."""

import math
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from avow.errors import StorageError
from avow.system.files import read_bounded, write_atomically
from avow.system.secret_store.model import SecretStoreError, StoreLockedError

KEY_BYTES: Final = 32
PASSPHRASE: Final = "passphrase"  # noqa: S105 - a word that says where the key is from
KEY_FILE: Final = "file"

_VARIABLE: Final = "AVOW_PASSPHRASE"
_CREDENTIAL: Final = "avow-passphrase"
_LIMIT: Final = 64 * 1024
_SALT_BYTES: Final = 16
# What guessing one passphrase costs: 128 MiB and some tenths of a second.
_COST: Final = {"n": 2**17, "r": 8, "p": 1}
# A file that somebody changed must not cost more than a few times that.
_MOST: Final = {"n": 2**20, "r": 8, "p": 4}
_MOST_WORK: Final = 2**23


def new_recipe() -> dict[str, Any]:
    """How the key of a new file is made: from the passphrase if there is one, else from a key file."""
    if _passphrase() is None:
        return {"source": KEY_FILE}
    return {"source": PASSPHRASE, "salt": b64encode(os.urandom(_SALT_BYTES)).decode(), **_COST}


def derive(recipe: Mapping[str, Any], key_file: Path, *, create: bool = False) -> bytes:
    """The key that a recipe describes; with `create`, a key file that is not there is made.

    Raises:
        StoreLockedError: the passphrase or the key file is missing.
        SecretStoreError: the recipe makes no sense, or others may read the key file.
    """
    if recipe.get("source") == KEY_FILE:
        return _from_file(key_file, create=create)
    passphrase = _passphrase()
    if passphrase is None:
        raise StoreLockedError(
            "the stored secrets are encrypted with a passphrase, and none is given",
            hint=f"set {_VARIABLE}, or {_VARIABLE}_FILE to the name of a file that holds it",
        )
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    try:
        salt = b64decode(recipe["salt"], validate=True)
        cost = {name: _bounded(recipe[name], most) for name, most in _MOST.items()}
        _bounded(math.prod(cost.values()), _MOST_WORK)
        return Scrypt(salt=salt, length=KEY_BYTES, **cost).derive(passphrase)
    except (KeyError, TypeError, ValueError, MemoryError):
        raise SecretStoreError("the file of secrets does not say how its key is made") from None


def describe(recipe: Mapping[str, Any], key_file: Path) -> str:
    """How strong it is, in plain words."""
    if recipe.get("source") == KEY_FILE:
        return f"encrypted with the key in {key_file}: whoever reads both files reads the secrets"
    return "encrypted with a passphrase"


def _passphrase() -> bytes | None:
    """What somebody gives us: a variable, a file that it names, or a credential of systemd."""
    if given := os.environ.get(_VARIABLE):
        return given.encode()
    if path := os.environ.get(f"{_VARIABLE}_FILE"):
        return _read(Path(path))
    directory = os.environ.get("CREDENTIALS_DIRECTORY")
    if directory and (path_there := Path(directory, _CREDENTIAL)).is_file():
        return _read(path_there)
    return None


def _read(path: Path) -> bytes:
    passphrase = read_bounded(path, _LIMIT).rstrip(b"\r\n")
    if not passphrase:
        raise StoreLockedError(f"the passphrase in {path} is empty")
    return passphrase


def _from_file(path: Path, *, create: bool) -> bytes:
    if create and not path.exists():
        _create(path)
    try:
        data = read_bounded(path, _LIMIT)
        mode = stat.S_IMODE(path.stat().st_mode)
    except StorageError as error:
        raise StoreLockedError(
            f"the key of the stored secrets cannot be read: {error.message}",
            hint="restore the file, or store the secrets again with `avow configure`",
        ) from None
    if mode & 0o077:
        raise SecretStoreError(
            f"{path} may be read by others (mode {mode:04o}), so the secrets are none",
            hint=f"chmod 600 {path}",
        )
    if len(data) != KEY_BYTES:
        raise SecretStoreError(f"{path} is not a key of Avow's", hint="restore the file from a backup")
    return data


def _create(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SecretStoreError(f"cannot make {path.parent}: {error.strerror}") from None
    write_atomically(path, os.urandom(KEY_BYTES), mode=0o600)


def _bounded(number: object, most: int) -> int:
    if not isinstance(number, int) or not 0 < number <= most:
        raise ValueError
    return number
