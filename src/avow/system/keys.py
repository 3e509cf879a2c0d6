"""Key files: made for their owner alone, and refused when somebody else could have read them."""

import os
import re
import stat
from pathlib import Path
from typing import Final

from avow.core.canonical import DIGEST_PATTERN
from avow.core.dsse import Trusted
from avow.core.keys import KeyId, PrivateKey, PublicKey, read_private_key, read_public_key
from avow.errors import MalformedInputError, StorageError, UsageError
from avow.system.files import read_bounded

_LIMIT: Final = 64 * 1024
_KEY_ID: Final = re.compile(DIGEST_PATTERN)


def generate_key() -> PrivateKey:
    """A new key, from the operating system's randomness."""
    return PrivateKey(os.urandom(32))


def write_key_pair(path: Path, key: PrivateKey, passphrase: bytes = b"") -> Path:
    """Write the private key to `path`, readable by its owner alone, and the public one beside it.

    Returns the path of the public key.

    Raises:
        StorageError: one of the files is there already, or cannot be written.
    """
    public = public_path(path)
    for each in (path, public):
        if os.path.lexists(each):
            raise StorageError(
                f"{each} is there already, and a key is never overwritten", hint="choose another name"
            )
    _create(path, key.pem(passphrase), 0o600)
    _create(public, key.public.pem, 0o644)
    return public


def public_path(path: Path) -> Path:
    """Where the public half of a private key is."""
    return path.with_name(f"{path.name}.pub")


def load_private_key(path: Path, passphrase: bytes = b"") -> PrivateKey:
    """Read a private key.

    Raises:
        StorageError: it cannot be read, or others may read it.
        PassphraseNeededError: it is encrypted, and no passphrase was given.
        MalformedInputError: it is not a private Ed25519 key, or the passphrase is wrong.
    """
    data = read_bounded(path, _LIMIT, if_missing="`avow keygen --out FILE` makes a key")
    if data.lstrip().startswith(b"-----BEGIN PUBLIC KEY"):
        private = path.with_suffix("") if path.suffix == ".pub" else "the file beside it without .pub"
        raise MalformedInputError(f"{path} holds a public key, which cannot sign", hint=f"give {private}")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise StorageError(
            f"{path} may be read by others (mode {mode:04o}), so the key in it is no secret",
            hint=f"chmod 600 {path}, or make a new key if somebody may have taken it",
        )
    try:
        return read_private_key(data, passphrase)
    except (MalformedInputError, UsageError) as error:
        raise type(error)(f"{path}: {error.message}", hint=error.hint) from None


def load_public_key(path: Path) -> PublicKey:
    """Read a public key.

    Raises:
        StorageError: it cannot be read.
        MalformedInputError: it is something else.
    """
    try:
        return read_public_key(read_bounded(path, _LIMIT))
    except MalformedInputError as error:
        raise MalformedInputError(f"{path}: {error.message}", hint=error.hint) from None


def load_trusted(word: str) -> Trusted:
    """What `--trust` names: the file of a public key, or the identifier of one.

    Raises:
        StorageError: the file cannot be read.
        MalformedInputError: it is not a public key.
    """
    return KeyId(word) if _KEY_ID.fullmatch(word) else load_public_key(Path(word))


def _create(path: Path, data: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
