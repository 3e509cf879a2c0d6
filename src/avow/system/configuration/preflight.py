"""May this server start? The one answer, and the one message, for run, the gateway, check and doctor."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from avow.core.canonical import JsonObject
from avow.errors import AvowError
from avow.system.configuration.known import Known
from avow.system.configuration.values import Resolution

# The number of JSON-RPC errors that Avow gives instead of a server; `data.avow.reason` says which.
CONFIGURATION_NEEDED: Final = -32010


@dataclass(frozen=True, slots=True)
class Problem:
    """A parameter that is missing or does not fit: what it is called, how it is given, and why in words.

    `kind` is one of `env`, `argument`, `header`, `file` and `other`; a parameter that is simply not there
    has no `reason`.
    """

    name: str
    kind: str
    sensitive: bool
    reason: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything is there: what the server is started with, besides its target."""

    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    arguments: tuple[str, ...] = field(default=(), repr=False)
    runtime_arguments: tuple[str, ...] = field(default=(), repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    url_variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


class ConfigurationNeededError(AvowError):
    """A server cannot be started as it is configured; the text and `data` name everything that is missing.

    `data` is the member of a JSON-RPC error with the code `CONFIGURATION_NEEDED`:
    `{"avow": {"reason": "configuration", "server", "missing": [{"name", "kind", "sensitive"}],
    "invalid": [{"name", "kind", "sensitive", "rule"}], "violated": ["…"], "next": "avow configure NAME"}}`.
    """

    def __init__(
        self,
        server: str,
        missing: tuple[Problem, ...] = (),
        invalid: tuple[Problem, ...] = (),
        violated: tuple[str, ...] = (),
    ) -> None:
        """Put all of it into one message."""
        super().__init__("")
        self.server = server
        self.missing = missing
        self.invalid = invalid
        self.violated = violated

    @property
    def data(self) -> JsonObject:
        """What a client's program reads."""
        raise NotImplementedError


Preflight: TypeAlias = Ready | ConfigurationNeededError


def preflight(known: Known, resolution: Resolution) -> Preflight:
    """Whether the values suffice for the server to start, and what it is then started with."""
    raise NotImplementedError
