"""Brings a registry up: its directory, the key of its log, its store, and the first token."""

import os
import socket
import stat
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from avow.core.keys import PrivateKey
from avow.core.tlog.notes import Signer, is_key_name
from avow.errors import StorageError, UsageError
from avow.registry.limits import Limits
from avow.registry.metrics import Metrics
from avow.registry.oidc import Identities
from avow.registry.service import Service
from avow.registry.settings import Settings
from avow.registry.store.opening import open_store
from avow.system.alone import alone_in
from avow.system.files import read_bounded, write_atomically
from avow.system.keys import generate_key, load_private_key, write_key_pair

KEY = "log.key"
ORIGIN = "log.origin"
DATABASE = "registry.sqlite"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a registry keeps what it needs."""

    data: Path
    database: str = ""

    @property
    def address(self) -> str:
        """The address of the store; a file in the data directory unless said."""
        return self.database or f"sqlite:///{(self.data / DATABASE).absolute()}"


def log_signer(place: Place, origin: str = "") -> Signer | None:
    """The key of the log, made at the first start; None when it was there once and is lost.

    Raises:
        StorageError: it cannot be read or written.
        UsageError: the log has another name already, or cannot have this one.
    """
    key, name = place.data / KEY, place.data / ORIGIN
    _check_alone(place.data)
    if not name.exists():
        chosen = origin or _host()
        if not is_key_name(chosen):
            raise UsageError(
                f"{chosen[:80]!r} cannot be the name of a log", hint="--origin registry.example.com"
            )
        _make(place.data)
        with alone_in(place.data):
            # Another process may have been first.
            if not key.exists() and not name.exists():
                write_key_pair(key, generate_key())
            if not name.exists():
                write_atomically(name, f"{chosen}\n".encode())
    known = read_bounded(name, 1000).decode("utf-8", "replace").strip()
    if origin and origin != known:
        raise UsageError(f"the log in {place.data} is called {known!r}", hint="a log keeps its name for good")
    return Signer(known, _load(key)) if key.exists() else None


def _load(key: Path) -> PrivateKey:
    try:
        return load_private_key(key)
    except StorageError as error:
        # What helps with other keys is wrong for this one.
        hint = f"chmod 600 {key}; never replace it: with another key every reader would see a forged log"
        raise StorageError(error.message, hint=hint) from error


async def open_service(
    place: Place, settings: Settings, origin: str = "", executor: Executor | None = None
) -> Service:
    """Open everything; the caller closes the store.

    Raises:
        AvowError: something is not there, not readable, or not what it was.
    """
    store = await open_store(place.address, log_signer(place, origin))
    try:
        key = await store.log_key()
    except BaseException:
        await store.close()
        raise
    bounds = settings.bounds
    return Service(
        store=store,
        settings=settings,
        origin=key.name,
        log_key=str(key),
        metrics=Metrics(),
        limits=Limits(bounds.rate, bounds.burst, bounds.token_rate, bounds.failures),
        executor=executor,
        identities=Identities(settings.issuers) if settings.issuers else None,
    )


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        hint = "choose another place with --data"
        raise StorageError(f"cannot make {directory}: {error.strerror}", hint=hint) from error
    if not os.access(directory, os.W_OK):
        raise StorageError(f"{directory} may not be written", hint="choose another place with --data")


def _check_alone(directory: Path) -> None:
    """Whoever may write to the directory could put another key there, and sign another log."""
    try:
        mode = directory.stat().st_mode
    except OSError:
        return
    if os.name == "posix" and mode & stat.S_IWOTH:
        raise StorageError(
            f"{directory} may be written by everybody on this machine", hint=f"chmod 700 {directory}"
        )


def _host() -> str:
    name = socket.gethostname()
    return name if is_key_name(name) else "registry"
