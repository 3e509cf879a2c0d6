"""How the client's subcommands reach a registry: its address, the token, and the options for both."""

import os
import sys
import threading
from types import TracebackType
from typing import Any, Self

import click

from avow.cli.options import Decorator
from avow.core.severity import Severity
from avow.errors import UsageError
from avow.system.registry_client.address import read_address
from avow.system.registry_client.administration import RegistryAdministration
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.transport import TIMEOUT, WHOLE, Transport

ADDRESS = "AVOW_REGISTRY"
TOKEN = "AVOW_REGISTRY_TOKEN"  # noqa: S105  the name of a variable
_PATIENCE = 2.0
_TIMEOUT = "avow.registry.timeout"
SECRET_KEY = "token"  # noqa: S105  what the token is called in the store of secrets

_registry_option: Decorator[Any] = click.option(
    "--registry", "registry", default="", metavar="URL", help=f"The registry to ask; {ADDRESS} unless given."
)
_timeout_option: Decorator[Any] = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help=f"How long the registry may be silent; a whole answer may take {WHOLE} times as long.",
    expose_value=False,
    callback=lambda context, _, value: context.meta.__setitem__(_TIMEOUT, value),
)


def registry_option(function: Any) -> Any:
    """Add the options that say which registry to ask, and how long to wait for it."""
    return _registry_option(_timeout_option(function))


limit_option: Decorator[Any] = click.option(
    "--limit", type=click.IntRange(1, 200), default=20, show_default=True, metavar="N", help="How many."
)


def level_option(default: str) -> Decorator[Any]:
    """Add the option that says from which severity of drift on."""
    return click.option(
        "--level",
        type=click.Choice([str(each) for each in Severity]),
        default=default,
        show_default=True,
        help="Of drift at or above this.",
    )


class _Patient(Transport):
    """Says what it waits for, to somebody who watches, when that takes a while."""

    _waiting: threading.Timer | None = None

    def __enter__(self) -> Self:
        """Begin to wait."""
        if sys.stderr.isatty():
            said = f"still asking {self.url} …"
            self._waiting = threading.Timer(_PATIENCE, lambda: click.echo(said, err=True))
            self._waiting.daemon = True
            self._waiting.start()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait no more."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().__exit__(kind, exc, trace)


class _Client(_Patient, RegistryClient):
    pass


class _Administration(_Patient, RegistryAdministration):
    pass


def address_of(given: str) -> str:
    """The address of the registry to ask.

    Raises:
        UsageError: nobody says which.
    """
    address = given or os.environ.get(ADDRESS, "")
    if not address:
        raise UsageError("which registry?", hint=f"--registry URL, or set {ADDRESS}")
    return read_address(address)


def open_client(given: str, *, needs_token: bool = False, timeout: float | None = None) -> RegistryClient:
    """A client of the registry that is asked for, with the token there is for it.

    Without a `timeout` the options say how long it may be silent.

    Raises:
        UsageError: nobody says which registry, or there is no token where one is needed.
        StorageError: the store of secrets cannot be read.
    """
    return _Client(*_reached(given, needs_token=needs_token), timeout=timeout or _timeout())


def administration(given: str, *, needs_token: bool = False) -> RegistryAdministration:
    """The same for what only those with a token ask for; raises what `open_client` does."""
    return _Administration(*_reached(given, needs_token=needs_token), timeout=_timeout())


def _timeout() -> float:
    """What the options say; commands that ask a registry beside other things have none for it."""
    context = click.get_current_context(silent=True)
    return TIMEOUT if context is None else float(context.meta.get(_TIMEOUT, TIMEOUT))


def _reached(given: str, *, needs_token: bool) -> tuple[str, str]:
    address = address_of(given)
    token = os.environ.get(TOKEN, "") or _stored(address)
    if needs_token and not token:
        raise UsageError(
            f"this needs a token for {address}",
            hint=f"set {TOKEN}, or keep it: `avow registry token keep --registry {address}`",
        )
    return address, token


def _stored(address: str) -> str:
    # Late: most know their registry from the environment, or ask without a token.
    from avow.system.directories import data_directory

    if not (data_directory() / "registry-tokens").exists():
        return ""
    from avow.system.secret_store import open_store

    return open_store().get(secret_name(address), SECRET_KEY) or ""


def keep_token(address: str, token: str) -> str:
    """Keep a token in the store of secrets; the answer says where that is.

    Raises:
        StorageError: it cannot be kept.
    """
    from avow.system.directories import data_directory
    from avow.system.files import write_atomically
    from avow.system.secret_store import open_store

    store = open_store()
    store.set(secret_name(address), SECRET_KEY, token)
    # A mark, so that nobody waits for a keyring that holds nothing for us.
    data_directory().mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(data_directory() / "registry-tokens", b"kept\n", mode=0o600)
    return str(store.describe())


def secret_name(address: str) -> str:
    """What a registry is called in the store of secrets."""
    return f"registry {address}"
