"""What every store of secrets can do, how it describes itself, and how it can fail."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from avow.errors import StorageError


class StoreKind(StrEnum):
    """The two places for secrets; the words are written down beside what is stored."""

    KEYRING = "keyring"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class StoreDescription:
    """Which store is used, where it is, and in plain words who could read it."""

    kind: StoreKind
    place: str
    strength: str

    def __str__(self) -> str:
        """One sentence for a person."""
        return f"{self.place} ({self.strength})"


class SecretStore(Protocol):
    """Secrets by server and key; a server is the text of its identity, so no other one reads them."""

    def get(self, server: str, key: str) -> str | None:
        """The secret, or None where there is none.

        Raises:
            SecretStoreError: it is there and cannot be read.
        """

    def set(self, server: str, key: str, value: str) -> None:
        """Keep a secret, in the place of the one before.

        Raises:
            SecretStoreError: it cannot be kept; the one before is as it was.
        """

    def delete(self, server: str, key: str) -> None:
        """Forget a secret; one that is not there is forgotten already.

        Raises:
            SecretStoreError: it cannot be removed.
        """

    def list(self, server: str) -> tuple[str, ...]:
        """The keys of what is kept for a server, sorted.

        Raises:
            SecretStoreError: nobody can tell.
        """

    def describe(self) -> StoreDescription:
        """Which store this is, and how strong."""


class SecretStoreError(StorageError):
    """Secrets cannot be read or written."""


class StoreLockedError(SecretStoreError):
    """The secrets are there, and what opens them is not: a locked keyring, a passphrase that nobody gave."""


class TamperedSecretError(SecretStoreError):
    """What is there is not what was stored: changed, swapped or damaged. Nothing is used, or removed."""
