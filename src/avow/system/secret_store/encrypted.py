"""Secrets in a file: each encrypted by itself, and bound to the server and the key that it was stored for.

AES-256-GCM with a nonce of its own for each value. The file is for its owner alone, is replaced in one step,
and is changed by one process at a time; one that cannot be read is never written over.
"""

import os
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from avow.core.canonical import canonical, parse_json
from avow.core.readable_json import readable_json
from avow.errors import MalformedInputError
from avow.system.files import read_bounded, write_atomically
from avow.system.lockfiles import alone
from avow.system.secret_store.keys import derive, describe, new_recipe
from avow.system.secret_store.model import (
    SecretStoreError,
    StoreDescription,
    StoreKind,
    StoreLockedError,
    TamperedSecretError,
)

VERSION: Final = 1

_LIMIT: Final = 16 * 1024 * 1024
_LONGEST: Final = 64 * 1024
_NONCE_BYTES: Final = 12
_CHECKED: Final = "avow"
_RESTORE: Final = "restore the file from a backup, or remove it and store the secrets again"


class EncryptedFile:
    """The secrets of one person in one file; the key is in a file elsewhere, or in a person's head."""

    def __init__(self, path: Path, key_file: Path) -> None:
        """Nothing is read before it is asked for."""
        self._path = path
        self._key_file = key_file
        self._keys: dict[bytes, bytes] = {}

    def get(self, server: str, key: str) -> str | None:
        """The secret, decrypted and verified."""
        document = self._read()
        sealed = document["servers"].get(server, {}).get(key)
        return None if sealed is None else self._open(document, server, key, sealed)

    def set(self, server: str, key: str, value: str) -> None:
        """Encrypt a secret, and write the file anew."""
        if len(value) > _LONGEST:
            raise SecretStoreError(f"the value of {key} is longer than {_LONGEST} characters")

        def put(document: dict[str, Any]) -> bool:
            cipher = self._cipher(document, create=True)
            sealed = _seal(cipher, value.encode("utf-8", "surrogatepass"), _context(server, key))
            document["servers"].setdefault(server, {})[key] = sealed
            return True

        self._change(put)

    def delete(self, server: str, key: str) -> None:
        """Write the file anew without a secret."""

        def remove(document: dict[str, Any]) -> bool:
            keys = document["servers"].get(server, {})
            was_there = keys.pop(key, None) is not None
            if not keys:
                document["servers"].pop(server, None)
            return was_there

        if self._path.exists():
            self._change(remove)

    def list(self, server: str) -> tuple[str, ...]:
        """The keys of a server's secrets; no key is needed to read these."""
        return tuple(sorted(self._read()["servers"].get(server, {})))

    def describe(self) -> StoreDescription:
        """Where the file is, and who could read it."""
        strength = describe(self._read()["key"], self._key_file)
        return StoreDescription(StoreKind.FILE, f"the file {self._path}", strength)

    def _change(self, change: Callable[[dict[str, Any]], bool]) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SecretStoreError(f"cannot make {self._path.parent}: {error.strerror}") from None
        with alone(self._path):
            document = self._read()
            if change(document):
                if self._path.exists():
                    self._path.chmod(0o600)
                write_atomically(self._path, readable_json(document), mode=0o600)

    def _read(self) -> dict[str, Any]:
        """The file as it is; an empty one where there is none."""
        if not self._path.exists():
            return {"avow": "secrets", "version": VERSION, "key": new_recipe(), "servers": {}}
        try:
            document = parse_json(read_bounded(self._path, _LIMIT))
        except MalformedInputError as error:
            raise TamperedSecretError(f"{self._path} is damaged: {error.message}", hint=_RESTORE) from None
        match document:
            case {"version": int(version)} if version > VERSION:
                raise SecretStoreError(f"{self._path} was written by a newer Avow", hint="upgrade Avow")
            case {"version": 1, "key": dict(), "servers": dict(servers)} if _is_table(servers):
                return dict(document)
            case _:
                raise TamperedSecretError(f"{self._path} is damaged", hint=_RESTORE)

    def _cipher(self, document: dict[str, Any], *, create: bool = False) -> Any:
        """The cipher with the key of the file; that it is the right key is part of the file."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        is_new = "check" not in document
        if is_new and document["servers"]:
            raise TamperedSecretError(f"{self._path} is damaged", hint=_RESTORE)
        cipher = AESGCM(self._key(document["key"], create=create and is_new))
        context = canonical(["check", document["key"]])
        if is_new:
            document["check"] = _seal(cipher, _CHECKED.encode(), context)
        try:
            _unseal(cipher, document["check"], context)
        except (InvalidTag, ValueError, TypeError):
            raise StoreLockedError(
                f"the key or passphrase at hand is not the one that {self._path} was encrypted with",
                hint="give the passphrase with which the secrets were stored, or restore the key file",
            ) from None
        return cipher

    def _key(self, recipe: dict[str, Any], *, create: bool) -> bytes:
        """The key; making one from a passphrase is slow on purpose, so once is enough."""
        known = canonical(recipe)
        if known not in self._keys:
            self._keys[known] = derive(recipe, self._key_file, create=create)
        return self._keys[known]

    def _open(self, document: dict[str, Any], server: str, key: str, sealed: object) -> str:
        from cryptography.exceptions import InvalidTag

        cipher = self._cipher(document)
        try:
            return _unseal(cipher, sealed, _context(server, key)).decode("utf-8", "surrogatepass")
        except (InvalidTag, ValueError, TypeError):
            name = server.partition("#")[0]
            raise TamperedSecretError(
                f"what {self._path} holds as {key} of {name} was not stored there as such",
                hint=f"store it again with `avow configure {name}`",
            ) from None


def _context(server: str, key: str) -> bytes:
    """What a value is bound to: moved to another place in the file, it opens no more."""
    return canonical(["secret", server, key])


def _seal(cipher: Any, data: bytes, context: bytes) -> str:
    nonce = os.urandom(_NONCE_BYTES)
    return b64encode(nonce + cipher.encrypt(nonce, data, context)).decode()


def _unseal(cipher: Any, sealed: object, context: bytes) -> bytes:
    if not isinstance(sealed, str):
        raise TypeError
    data = b64decode(sealed, validate=True)
    opened: bytes = cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], context)
    return opened


def _is_table(servers: dict[str, Any]) -> bool:
    return all(isinstance(keys, dict) for keys in servers.values())
