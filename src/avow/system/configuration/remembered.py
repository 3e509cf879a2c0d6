"""What somebody once configured for a server, without its secrets: a small file for each server.

`save` is the one way to write answers: secrets go to the store, everything else to the file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from avow.core.canonical import Digest
from avow.core.configuration.model import Configuration, Parameter
from avow.system.configuration.identity import Identity
from avow.system.secret_store.model import SecretStore, StoreKind

# Several values where a parameter takes several.
Value: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known about a configured server.

    `values` are those that are no secrets, by key; `secrets` says in which store the others are.
    `answered` are the keys that somebody was asked about, given or left empty. `environment` names the
    variables that may be taken from our own environment, and `insisted` those of loaders and the like that
    somebody insisted on. `places` are the directories whose settings may stand beside stored values.
    `declaration` is the digest of the configuration that was asked about, and `configuration` that
    itself, for servers that declare none.
    """

    name: str
    target: Digest
    values: Mapping[str, Value] = field(default_factory=dict)
    secrets: Mapping[str, StoreKind] = field(default_factory=dict)
    answered: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    insisted: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    declaration: str = ""
    configuration: Configuration = field(default_factory=Configuration)

    @property
    def identity(self) -> Identity:
        """Whom this belongs to."""
        return Identity(self.name, self.target)


@dataclass(frozen=True, slots=True)
class Answers:
    """What somebody answered about one server: `given` by key, and the consents that go with it.

    A key in `asked` without a value is one that somebody left empty: what was stored for it is removed.
    """

    asked: tuple[str, ...]
    given: Mapping[str, Value] = field(default_factory=dict, repr=False)
    environment: tuple[str, ...] = ()
    insisted: tuple[str, ...] = ()
    place: Path | None = None


def recall(identity: Identity) -> Remembered | None:
    """What was configured for exactly this server.

    Raises:
        StorageError: the file cannot be read, is damaged, or was written by a newer Avow.
    """
    raise NotImplementedError


def namesakes(identity: Identity) -> tuple[Remembered, ...]:
    """What was configured for other servers of the same name, which gets none of it."""
    raise NotImplementedError


def save(
    identity: Identity, configuration: Configuration, answers: Answers, store: SecretStore
) -> Remembered:
    """Keep answers: secrets in `store`, the rest in the file; what was answered before and not asked now stays.

    `configuration` is everything that is known about the server's needs. Values of parameters that are
    secret, by declaration or by name, never reach the file.

    Raises:
        StorageError: it cannot be written.
        SecretStoreError: a secret cannot be kept.
    """
    raise NotImplementedError


def update(identity: Identity, change: Callable[[Remembered], Remembered]) -> Remembered:
    """Change what is remembered while no other Avow does.

    Raises:
        StorageError: it cannot be read or written.
    """
    raise NotImplementedError


def forget(identity: Identity) -> None:
    """Remove what is remembered and every secret that goes with it.

    Raises:
        StorageError: something cannot be removed.
    """
    raise NotImplementedError


def declaration_digest(configuration: Configuration) -> Digest:
    """The digest of a server's needs, to see later whether they are still the same."""
    raise NotImplementedError


def unanswered(remembered: Remembered | None, configuration: Configuration) -> tuple[Parameter, ...]:
    """The parameters that nobody was asked about yet, in their order; fixed ones are no questions."""
    raise NotImplementedError
