"""Secrets in the system's own keyring: one item for each server, and nobody waits for a prompt.

The backend is named, and never searched for: the library's own search may end in a file that is not
encrypted, or in a question on a terminal that nobody sees.
"""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

from avow.core.canonical import canonical, parse_json
from avow.errors import MalformedInputError
from avow.system.lockfiles import alone
from avow.system.secret_store.model import (
    SecretStoreError,
    StoreDescription,
    StoreKind,
    StoreLockedError,
    TamperedSecretError,
)

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE: Final = "avow"
PROBE_SECONDS: Final = 2.0
# On some systems a person is asked whether we may: longer than for a program's answer.
ANSWER_SECONDS: Final = 20.0

_Result = TypeVar("_Result")


class KeyringStore:
    """A keyring that is open; `place` is what people call it."""

    def __init__(
        self, backend: "KeyringBackend", place: str, lock: Path, *, patience: float = ANSWER_SECONDS
    ) -> None:
        """`lock` is a file beside which one process at a time changes what is kept."""
        self._backend = backend
        self._place = place
        self._lock = lock
        self._patience = patience

    def get(self, server: str, key: str) -> str | None:
        """The secret, from the item of its server."""
        value = self._item(server).get(key)
        return value if isinstance(value, str) else None

    def set(self, server: str, key: str, value: str) -> None:
        """Write the item of the server anew."""
        self._change(server, lambda item: {**item, key: value})

    def delete(self, server: str, key: str) -> None:
        """Write the item of the server without the secret; the last one takes the item with it."""
        self._change(server, lambda item: {name: value for name, value in item.items() if name != key})

    def list(self, server: str) -> tuple[str, ...]:
        """The keys in the item of the server."""
        return tuple(sorted(self._item(server)))

    def describe(self) -> StoreDescription:
        """The system's keyring."""
        return StoreDescription(
            StoreKind.KEYRING, self._place, "open to programs of this user while unlocked"
        )

    def _item(self, server: str) -> dict[str, Any]:
        text = self._ask(lambda: self._backend.get_password(SERVICE, server))
        if text is None:
            return {}
        try:
            document = parse_json(text.encode())
        except MalformedInputError:
            document = None
        match document:
            # The server is written inside, too: an item under another name is not that server's.
            case {"server": str(written), "secrets": dict(secrets)} if written == server:
                return secrets
            case _:
                raise TamperedSecretError(
                    f"what {self._place} holds for {server.partition('#')[0]} is not what Avow stored",
                    hint=f"store it again with `avow configure {server.partition('#')[0]}`",
                )

    def _change(self, server: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(self._lock):
            before = self._item(server)
            after = change(before)
            if after:
                text = canonical({"server": server, "secrets": after}).decode()
                self._ask(lambda: self._backend.set_password(SERVICE, server, text))
            elif before:
                self._ask(lambda: self._backend.delete_password(SERVICE, server))

    def _ask(self, action: Callable[[], _Result]) -> _Result:
        return bounded(action, self._patience, self._place)


def open_keyring(lock: Path) -> KeyringStore | None:
    """The keyring of this system if it has one that is open; None at once where there is none.

    Raises:
        StoreLockedError: there is one, and it is locked or does not answer.
    """
    if sys.platform == "darwin":
        from keyring.backends.macOS import Keyring as Keychain

        return KeyringStore(Keychain(), "the macOS keychain", lock)
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None
    place = "the system keyring (Secret Service)"
    backend = bounded(_secret_service, PROBE_SECONDS, place)
    return None if backend is None else KeyringStore(backend, place, lock)


def bounded(action: Callable[[], _Result], seconds: float, place: str) -> _Result:
    """Do something that may wait for ever, and wait only so long.

    Raises:
        StoreLockedError: it took longer.
        SecretStoreError: it failed; nothing of what it said is repeated.
    """
    results: list[_Result] = []
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            results.append(action())
        except BaseException as error:  # noqa: BLE001 - a library's failure of any kind is one of the store
            errors.append(error)

    thread = Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise StoreLockedError(
            f"{place} did not answer within {seconds:g} s", hint="unlock it, or set AVOW_SECRET_STORE=file"
        )
    if errors:
        if isinstance(errors[0], SecretStoreError):
            raise errors[0]
        raise SecretStoreError(f"{place} cannot be used ({type(errors[0]).__name__})") from None
    return results[0]


def _secret_service() -> "KeyringBackend | None":
    """The backend for the Secret Service, if that runs and is unlocked; else a prompt would open."""
    import secretstorage
    from keyring.backends.SecretService import Keyring

    try:
        with closing(secretstorage.dbus_init()) as connection:
            if not secretstorage.check_service_availability(connection):
                return None
            if secretstorage.Collection(connection).is_locked():
                raise StoreLockedError(
                    "the system keyring is locked", hint="unlock it, or set AVOW_SECRET_STORE=file"
                )
    except (secretstorage.SecretServiceNotAvailableException, secretstorage.ItemNotFoundException, OSError):
        return None
    backend: KeyringBackend = Keyring()  # type: ignore[no-untyped-call]
    return backend
