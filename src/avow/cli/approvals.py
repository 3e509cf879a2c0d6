"""The options that hold servers to what is approved in an environment of a registry."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from avow.errors import UsageError

if TYPE_CHECKING:
    # Most servers are held to a lockfile alone, and nobody should wait for what they have no use for.
    from avow.core.publication import ServerName
    from avow.core.tlog.notes import VerifierKey
    from avow.system.registry_approvals import Asking

_SILENCE: Final = 10.0
"""How many seconds a registry may be silent before memory counts: the client of a session waits, too."""

_UNITS: Final = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}
_MOST_DIGITS: Final = 6


def _read_duration(_: click.Context, __: click.Parameter, text: str) -> timedelta | None:
    count, unit = text[:-1], _UNITS.get(text[-1:])
    if not text:
        return None
    if unit is None or not (count.isascii() and count.isdigit()) or len(count) > _MOST_DIGITS:
        raise UsageError(f"{text[:40]!r} is not a duration", hint="90s, 30m, 24h and 7d are some")
    return int(count) * unit


def _read_keys(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> "tuple[VerifierKey, ...]":
    if not texts:
        return ()
    from avow.core.tlog.notes import read_verifier_key

    return tuple(dict.fromkeys(map(read_verifier_key, texts)))


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
    click.option(
        "--registry-max-age", "max_age", default="", metavar="DURATION", callback=_read_duration,
        help="Refuse a registry whose log last grew, or was last signed by each --witness, longer ago: 7d.",
    ),
    click.option(
        "--witness", "witnesses", multiple=True, metavar="KEY", callback=_read_keys,
        help="The key of somebody who watches the log and has to have signed it. Repeatable.",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RegistryOptions:
    """Which registry and environment servers are held to; nothing is asked without an environment."""

    registry: str
    approved_in: str
    registered: tuple[str, ...]
    registry_key: str
    max_age: timedelta | None
    witnesses: "tuple[VerifierKey, ...]"

    def names(self, servers: Collection[str], settings: Path | None) -> "dict[str, ServerName]":
        """What these servers are called in the registry; empty when it is not to be asked.

        What the options do not say, the settings beside the lockfile `settings` may; None reads none.

        Raises:
            UsageError: nobody says so for one of them, or the options do not make sense together: noticed
                before anything is started.
            MalformedInputError: that is no name, or no key.
        """
        if not self.approved_in:
            others = (self.registry, self.registered, self.registry_key, self.max_age, self.witnesses)
            if any(others):
                raise UsageError("approved where?", hint="--environment production")
            return {}
        given = self._given(servers)
        names = {name: _registered(name, given, settings) for name in servers}
        self._require_sense()
        return names

    def _require_sense(self) -> None:
        # Late, since most servers are held to a lockfile alone.
        from avow.cli.registry.asking import address_of
        from avow.cli.registry.words import read_environment
        from avow.core.tlog.notes import read_verifier_key

        read_environment(self.approved_in)
        address_of(self.registry)
        if self.registry_key:
            read_verifier_key(self.registry_key)

    def _given(self, servers: Collection[str]) -> dict[str, str]:
        given = {}
        for word in self.registered:
            name, equals, value = word.rpartition("=")
            if not equals and len(servers) != 1:
                raise UsageError(f"which server is {word}?", hint=f"--as NAME={word}")
            if equals and name not in servers:
                known = ", ".join(sorted(servers))
                raise UsageError(
                    f"--as names {name!r}, which is none of the servers here", hint=f"there are: {known}"
                )
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
        with open_client(self.registry, timeout=_SILENCE) as client:
            memory, now = Memory.of(client.url), datetime.now(UTC)
            yield Asking(client, memory, self.approved_in, now, key, self.max_age, self.witnesses)


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
