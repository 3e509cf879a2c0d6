"""From approved entries and options to a gateway that can be served."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from avow.core.target import HttpTarget, StdioTarget
from avow.errors import UsageError
from avow.proxy.contracts import Held
from avow.proxy.gateway.access import Access, answered_names, is_loopback, read_tokens
from avow.proxy.gateway.app import Bounds, Gateway
from avow.proxy.gateway.backends import Backend, LocalBackend
from avow.proxy.gateway.metrics import Metrics
from avow.proxy.gateway.sessions import Sessions
from avow.proxy.log import EventLog
from avow.system.targets import Given, fitting


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose."""

    host: str
    token_file: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    allow_unauthenticated: bool = False
    pass_authorization: frozenset[str] = frozenset()
    most_sessions: int = 256
    idle_seconds: float = 1800.0
    bounds: Bounds = field(default_factory=Bounds)
    log: Path | None = None


def compose(servers: Iterable[Held], options: Options, values: Mapping[str, str]) -> Gateway:
    """A gateway for these servers; `values` are variables for them, each of which gets only its own.

    Raises:
        UsageError: it would be open to strangers, or a server cannot be reached this way.
    """
    access = _access(options)
    metrics = Metrics()
    backends = {held.name: _backend(held, options, values, metrics) for held in servers}
    sessions = Sessions(options.most_sessions, options.idle_seconds)
    return Gateway(backends, access, sessions, metrics, options.bounds)


def _access(options: Options) -> Access:
    if options.token_file is None and not is_loopback(options.host) and not options.allow_unauthenticated:
        raise UsageError(
            f"anybody who reaches {options.host} could use every server",
            hint="name the tokens of your clients with --token-file FILE, or listen on 127.0.0.1",
        )
    if options.token_file is not None and options.pass_authorization:
        raise UsageError(
            "--pass-authorization would send the gateway's own tokens to a server",
            hint="a client has one Authorization header: use it for the gateway or for the server",
        )
    return Access(
        answered_names(options.host, options.allow_hosts),
        frozenset(origin.lower().rstrip("/") for origin in options.allow_origins),
        () if options.token_file is None else read_tokens(options.token_file),
    )


def _backend(held: Held, options: Options, values: Mapping[str, str], metrics: Metrics) -> Backend:
    log = EventLog(held.name, options.log)
    match held.target:
        case StdioTarget():
            own = fitting(Given(values), held.target).environment
            return LocalBackend(held, log, metrics, own, options.idle_seconds)
        case HttpTarget():
            raise NotImplementedError
        case _:
            raise UsageError(
                f"{held.name} is neither started by a command nor reached over HTTP",
                hint="lock it as `-- COMMAND ARG…` or by its URL, or leave it out by naming the others",
            )
