"""Starting a server with new values before anything is kept, and telling apart what comes of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from avow.core.configuration.model import Configuration
from avow.core.printable import printable
from avow.core.snapshot import Snapshot
from avow.system.configuration.preflight import Ready
from avow.system.configuration.starting import filled
from avow.system.connect import ConnectOptions
from avow.system.connect.words import Secrets
from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence
from avow.system.diagnosis.starting import Tried, started_with, try_once
from avow.system.targets import Reachable

# What servers and the services behind them say to a token that they do not accept.
_CREDENTIALS: Final = r"(?:credentials?|tokens?|api[ _-]?keys?|keys?|passwords?)"
_CLEARLY_REJECTED: Final = (
    r"(?<![0-9A-Za-z.])(?:401|403)[ :,)-]{1,3}(?:unauthori[sz]ed|forbidden|bad credentials)"
    rf"|(?:bad|invalid|incorrect|wrong|expired|revoked|rejected) (?:[a-z_-]{{1,20}} )?{_CREDENTIALS}"
    rf"|{_CREDENTIALS} (?:(?:is|are|was|were|has|have|been) ){{1,3}}"
    r"(?:invalid|incorrect|wrong|expired|revoked|rejected|denied)"
    r"|authentication (?:failed|failure)|login failed|invalid_(?:auth|grant|token)|token_(?:expired|revoked)"
)
_REJECTED: Final = re.compile(
    rf"(?i){_CLEARLY_REJECTED}|(?<![0-9A-Za-z.])(?:401|403)(?![0-9A-Za-z.])"
    r"|unauthori[sz]ed|unauthenticated|not authenticated|forbidden|authentication error"
)
_CLEARLY: Final = re.compile(f"(?i){_CLEARLY_REJECTED}")
_SAID: Final = 2_000


@dataclass(frozen=True, slots=True)
class Works:
    """The server started and showed what it offers."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Rejected:
    """The server, or the service behind it, does not accept the credentials; `said` are its own words."""

    message: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class CannotStart:
    """The server does not start, or does not answer; nobody says that it is about credentials.

    `cause` is what seems to be wrong, and `needs` what it seems to ask for.
    """

    message: str
    said: str = ""
    cause: str = ""
    needs: Configuration = field(default_factory=Configuration)


Outcome: TypeAlias = Works | Rejected | CannotStart


@dataclass(frozen=True, slots=True)
class Trial:
    """How to try: for how long, and whom to tell what is going on."""

    timeout: float
    on_progress: Callable[[str], None] | None = field(default=None, repr=False)


def try_server(name: str, reachable: Reachable, ready: Ready, trial: Trial) -> Outcome:
    """Start the server with everything it is to be given, and see whether it works."""
    hide = _hiding({**reachable.environment, **ready.environment, **reachable.headers, **ready.secrets})
    return judged(start_once(with_values(reachable, ready), trial), name, hide)


def start_once(reachable: Reachable, trial: Trial) -> Tried:
    """Start a server, or connect to it, and hear what it says."""
    options = ConnectOptions(
        timeout=trial.timeout,
        env=reachable.environment,
        headers=reachable.headers,
        shown=reachable.target,
        on_progress=trial.on_progress,
    )
    known = started_with(reachable.target, reachable.environment, reachable.headers)
    return try_once(reachable.launch, options, known)


def judged(tried: Tried, name: str, hide: Callable[[str], str] = printable) -> Outcome:
    """What a start means for the values that it was made with."""
    said = hide(_words(tried.evidence))[-_SAID:]
    if tried.snapshot is not None:
        if _CLEARLY.search(said):
            return Rejected("it starts, and says that the credentials are not accepted", said)
        return Works(tried.snapshot)
    message = hide(tried.error.message if tried.error else "it did not work").partition(":\n")[0]
    if is_rejection(f"{message}\n{said}"):
        return Rejected(message, said)
    diagnosis = diagnose(tried.evidence, name)
    needs = Configuration.of(diagnosis.parameters, diagnosis.groups)
    return CannotStart(message, said, hide(diagnosis.message), needs)


def is_rejection(text: str) -> bool:
    """Whether somebody says that credentials are not accepted."""
    return _REJECTED.search(text) is not None


def with_values(reachable: Reachable, ready: Ready) -> Reachable:
    """The server with its values in their places: variables, arguments, headers, the address."""
    return replace(
        reachable,
        launch=filled(reachable.launch, ready),
        environment={**reachable.environment, **ready.environment},
        headers={**reachable.headers, **ready.headers},
    )


def _words(evidence: Evidence) -> str:
    return "\n".join(filter(None, (evidence.stderr, evidence.stdout)))


def _hiding(values: Mapping[str, str]) -> Callable[[str], str]:
    """Strike values out of what a server says, and of several for one parameter each."""
    secrets = Secrets((name, one) for name, value in values.items() for one in (value, *value.split("\n")))
    return lambda text: printable(secrets.hide(text))
