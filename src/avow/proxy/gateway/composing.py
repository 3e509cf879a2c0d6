"""From approved entries and options to a gateway that can be served."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import avow
from avow.core.target import HttpTarget, StdioTarget
from avow.errors import AvowError, UsageError
from avow.proxy.contracts import Held
from avow.proxy.gateway.access import Access, answered_names, is_loopback, read_tokens
from avow.proxy.gateway.app import Bounds, Gateway
from avow.proxy.gateway.backends import Backend, LocalBackend, Prepare, RemoteBackend, UnreadyBackend
from avow.proxy.gateway.client import HttpClient
from avow.proxy.gateway.metrics import Metrics
from avow.proxy.gateway.remote import Way
from avow.proxy.gateway.sessions import Sessions
from avow.proxy.log import EventLog
from avow.system.configuration.preflight import ConfigurationNeededError, Ready
from avow.system.configuration.starting import Start, filled, prepare
from avow.system.processes import expand
from avow.system.targets import Given, fitting


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose; `settings` is the lockfile beside which settings of servers count."""

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
    settings: Path | None = None
    preset: str = ""


def compose(servers: Iterable[Held], options: Options, values: Mapping[str, str]) -> Gateway:
    """A gateway for these servers; `values` are variables for them, each of which gets only its own.

    Raises:
        UsageError: it would be open to strangers, or a server cannot be reached this way.
    """
    servers = list(servers)
    access = _access(options)
    _refuse_shared_variables(servers)
    metrics = Metrics()
    several = len(servers) > 1
    backends = {held.name: _backend(held, options, values, metrics, several=several) for held in servers}
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


def _backend(
    held: Held, options: Options, values: Mapping[str, str], metrics: Metrics, *, several: bool
) -> Backend:
    log = EventLog(held.name, options.log)
    match held.target:
        case StdioTarget():
            preparing = _preparing(held, held.target, options, values, several=several)
            return LocalBackend(held, log, metrics, preparing, options.idle_seconds)
        case HttpTarget():
            ready = _ready(held, options, _given_headers(held.name, held.target))
            if isinstance(ready, AvowError):
                return UnreadyBackend(held, log, metrics, ready)
            return RemoteBackend(held, log, metrics, _way(held, ready, options, values))
        case _:
            raise UsageError(
                f"{held.name} is neither started by a command nor reached over HTTP",
                hint="lock it as `-- COMMAND ARG…` or by its URL, or leave it out by naming the others",
            )


def _ready(held: Held, options: Options, given: Mapping[str, str]) -> Ready | ConfigurationNeededError | None:
    start = Start(held.name, held.target, held.declared, options.settings, options.preset, one_of_many=True)
    return prepare(start, given)


def _preparing(
    held: Held, target: StdioTarget, options: Options, values: Mapping[str, str], *, several: bool
) -> Prepare:
    own = fitting(Given(values), target).environment
    # What is given for several servers may not be meant for what one of them declares.
    flags = own if several else values

    def prepared() -> tuple[StdioTarget, Mapping[str, str]]:
        ready = _ready(held, options, flags)
        if isinstance(ready, AvowError):
            raise ready
        full = filled(target, ready)
        assert isinstance(full, StdioTarget)
        return full, {**(ready.environment if ready else {}), **own}

    return prepared


def _way(held: Held, ready: Ready | None, options: Options, values: Mapping[str, str]) -> Way:
    target = filled(held.target, ready)
    assert isinstance(target, HttpTarget)
    passes = held.name in options.pass_authorization
    stored = {} if ready is None else {name.lower(): value for name, value in ready.headers.items()}
    headers = [(b"user-agent", f"avow/{avow.__version__}".encode())]
    for name in dict.fromkeys((*(name.lower() for name in target.headers), *stored)):
        if name == "authorization" and passes:
            continue
        headers.append((name.encode("ascii"), _header_value(held.name, name, stored)))
    return Way(HttpClient(expand(target.url, values), headers), held.policy.limits.message_bytes, passes)


def _refuse_shared_variables(servers: Iterable[Held]) -> None:
    """A credential of one server must not reach another because their names are spelt alike."""
    owners: dict[str, str] = {}
    for held in servers:
        for header in held.target.headers if isinstance(held.target, HttpTarget) else ():
            variable = _variable(held.name, header)
            if owners.setdefault(variable, held.name) != held.name:
                raise UsageError(
                    f"{variable} would be the header of both {owners[variable]} and {held.name}",
                    hint="give one of them another name in the lockfile, or serve them apart",
                )


def _variable(server: str, header: str) -> str:
    return f"AVOW_HEADER_{_word(server)}_{_word(header)}"


def _given_headers(server: str, target: HttpTarget) -> dict[str, str]:
    """The headers whose values are in the environment."""
    variables = {header: _variable(server, header) for header in target.headers}
    return {header: os.environ[name] for header, name in variables.items() if name in os.environ}


def _header_value(server: str, header: str, stored: Mapping[str, str]) -> bytes:
    """The value of a header that a server was approved with, from the environment or as it was stored."""
    name = _variable(server, header)
    value = os.environ.get(name, stored.get(header))
    if value is None:
        raise UsageError(
            f"{server} was approved with the header {header}, which has no value", hint=f"set {name}"
        )
    if not value.isascii() or not value.isprintable():
        raise UsageError(f"{name} holds characters that no header may have")
    return value.encode("ascii")


def _word(text: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in text).upper()
