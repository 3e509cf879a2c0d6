"""The value of each parameter and where it comes from: flag > environment > project > store > default."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from avow.core.configuration.model import Parameter
from avow.system.configuration.known import Known
from avow.system.configuration.remembered import Value
from avow.system.secret_store import SecretStore, StoreKind, open_store


class Layer(StrEnum):
    """Where a value comes from, the strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    PROJECT = "project"
    STORE = "store"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A parameter with its value; `place` says in words where that is from."""

    parameter: Parameter
    layer: Layer
    place: str
    value: Value = field(repr=False)


@dataclass(frozen=True, slots=True)
class Withheld:
    """A value that is there and was not used, and why; the words never repeat it."""

    key: str
    layer: Layer
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Every parameter that has a value, by key, and what was there but not used."""

    values: Mapping[str, Resolved] = field(default_factory=dict)
    withheld: tuple[Withheld, ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """Where to look besides what is known: values by key or by name, our environment, a preset's name."""

    flags: Mapping[str, str] = field(default_factory=dict, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    preset: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """One line of `configure --where`: a parameter, where its value is from, and the value if it may be shown.

    `layer` is None for a parameter without a value.
    """

    parameter: Parameter
    layer: Layer | None
    place: str
    shown: str
    withheld: tuple[Withheld, ...] = ()


def resolve(
    known: Known, sources: Sources, store: Callable[[StoreKind | None], SecretStore] = open_store
) -> Resolution:
    """Find the value of each parameter.

    Our environment is used only for variables that the target names or that somebody agreed to; stored
    values only for the server that they were stored for; those of loaders only where somebody insisted.

    Raises:
        UsageError: the settings hold a secret, or there is no such preset.
        SecretStoreError: a stored secret cannot be read.
    """
    raise NotImplementedError


def explain(known: Known, resolution: Resolution) -> tuple[Explained, ...]:
    """Where each parameter's value comes from, in the order of the parameters; secrets are masked."""
    raise NotImplementedError
