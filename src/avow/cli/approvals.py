"""The options that hold servers to what is approved in an environment of a registry."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from avow.errors import UsageError

if TYPE_CHECKING:
    # Most servers are held to a lockfile alone, and nobody should wait for what they have no use for.
    from avow.core.publication import ServerName
    from avow.system.registry_approvals import Asking

_OPTIONS: Final = (
    click.option(
        "--registry", "registry", default="", metavar="URL",
        help="With --environment: the registry to ask; AVOW_REGISTRY unless given.",
    ),
    click.option(
        "--environment", "approved_in", default="", metavar="NAME",
        help="Accept only what is approved for this environment in the registry: production.",
    ),
    click.option(
        "--as", "registered", multiple=True, metavar="[NAME=]NAMESPACE/SERVER",
        help="What a server is called in the registry. Repeatable.",
    ),
    click.option(
        "--registry-key", "registry_key", default="", metavar="KEY",
        help="The key of the registry's log (origin+identifier+key); the first one seen unless given.",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RegistryOptions:
    """Which registry and environment servers are held to; nothing is asked without an environment."""

    registry: str
    approved_in: str
    registered: tuple[str, ...]
    registry_key: str

    def names(self, servers: Collection[str], settings: Path | None) -> "dict[str, ServerName]":
        """What these servers are called in the registry; empty when it is not to be asked.

        What the options do not say, the settings beside the lockfile `settings` may; None reads none.

        Raises:
            UsageError: nobody says so for one of them, or the options do not make sense together.
            MalformedInputError: that is no name.
        """
        if not self.approved_in:
            if self.registry or self.registered or self.registry_key:
                raise UsageError("approved where?", hint="--environment production")
            return {}
        given = self._given(servers)
        return {name: _registered(name, given, settings) for name in servers}

    def _given(self, servers: Collection[str]) -> dict[str, str]:
        given = {}
        for word in self.registered:
            name, equals, value = word.rpartition("=")
            if not equals and len(servers) != 1:
                raise UsageError(f"which server is {word}?", hint=f"--as NAME={word}")
            if equals and name not in servers:
                raise UsageError(f"--as names {name!r}, which is none of the servers here")
            given[name if equals else next(iter(servers))] = value
        return given

    @contextmanager
    def asking(self) -> "Iterator[Asking]":
        """A connection to the registry.

        Raises:
            UsageError: nobody says which registry.
            MalformedInputError: the key is none.
        """
        from datetime import UTC, datetime

        from avow.cli.registry.asking import open_client
        from avow.core.tlog.notes import read_verifier_key
        from avow.system.registry_approvals import Asking
        from avow.system.registry_client.remembered import Memory

        key = read_verifier_key(self.registry_key) if self.registry_key else None
        with open_client(self.registry) as client:
            yield Asking(client, Memory.of(client.url), self.approved_in, datetime.now(UTC), key)


def registry_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the function gets them as `held`."""

    @wraps(function)
    def bundled(*arguments: Any, **named: Any) -> Any:
        bundle = {option: named.pop(option) for option in RegistryOptions.__slots__}
        return function(*arguments, held=RegistryOptions(**bundle), **named)

    decorated: Callable[..., Any] = bundled
    for decorate in reversed(_OPTIONS):
        decorated = decorate(decorated)
    return decorated


def _registered(name: str, given: dict[str, str], settings: Path | None) -> "ServerName":
    from avow.core.publication import ServerName
    from avow.system.settings import read_server_settings

    found = given.get(name, "")
    if not found and settings is not None:
        found = read_server_settings(settings, name).registry
    if not found and "/" not in name:
        raise UsageError(
            f"what is {name!r} called in the registry?",
            hint=f"--as {name}=NAMESPACE/SERVER says so, or `registry` in [servers.{name}] of avow.toml",
        )
    return ServerName.read(found or name)
