"""Starting a server with new values before anything is kept, and telling apart what comes of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from avow.core.printable import printable
from avow.core.snapshot import Snapshot
from avow.errors import AvowError
from avow.system.configuration.preflight import Ready
from avow.system.configuration.starting import filled
from avow.system.connect import ConnectOptions, ServerExitedError, take_snapshot
from avow.system.targets import Reachable

# What servers and the services behind them say to a token that they do not accept.
_REJECTED: Final = re.compile(
    r"(?i)(?<![0-9A-Za-z.])(?:401|403)(?![0-9A-Za-z.])"
    r"|unauthori[sz]ed|unauthenticated|not authenticated|forbidden"
    r"|(?:bad|invalid|incorrect|wrong|expired|revoked|rejected|unknown) "
    r"(?:[a-z_-]{1,20} )?(?:credentials?|tokens?|api[ _-]?keys?|keys?|passwords?|login|auth[a-z]{0,10})"
    r"|(?:credentials?|tokens?|api[ _-]?keys?|keys?|passwords?) "
    r"(?:(?:is|are|was|were|has|have|been|not) ){0,3}"
    r"(?:invalid|incorrect|wrong|expired|revoked|rejected|denied)"
    r"|authentication (?:failed|error|failure)|login failed"
    r"|invalid_(?:auth|grant|token)|token_(?:expired|revoked)"
)
_SAID: Final = 2_000


@dataclass(frozen=True, slots=True)
class Works:
    """The server started and showed what it offers; `remark` is what is odd about it nevertheless."""

    snapshot: Snapshot
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The server, or the service behind it, does not accept the credentials."""

    message: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class CannotStart:
    """The server does not start, or does not answer; nobody said that it is about credentials."""

    message: str
    said: str = ""
    hint: str = ""


Outcome: TypeAlias = Works | Rejected | CannotStart


@dataclass(frozen=True, slots=True)
class Trial:
    """How to try: for how long, and whom to tell what is going on."""

    timeout: float
    on_progress: Callable[[str], None] | None = field(default=None, repr=False)


def try_server(reachable: Reachable, ready: Ready, trial: Trial) -> Outcome:
    """Start the server with everything it is to be given, and see whether it works."""
    configured = started_with(reachable, ready)
    options = ConnectOptions(
        timeout=trial.timeout,
        env=configured.environment,
        headers=configured.headers,
        shown=reachable.target,
        on_progress=trial.on_progress,
    )
    values = {**configured.environment, **configured.headers, **ready.secrets}
    try:
        snapshot = take_snapshot(configured.launch, options)
    except AvowError as error:
        return judged(error, values)
    return Works(replace(snapshot, target=reachable.target))


def judged(error: AvowError, values: dict[str, str]) -> Outcome:
    """What a failure to start means."""
    hide = _hiding(values)
    output = error.output if isinstance(error, ServerExitedError) else ""
    message, _, quoted = hide(error.message).partition(":\n")
    said = (hide(output) or quoted)[-_SAID:]
    if is_rejection(f"{message}\n{said}"):
        return Rejected(message, said)
    return CannotStart(message, said, error.hint)


def is_rejection(text: str) -> bool:
    """Whether somebody says that credentials are not accepted."""
    return _REJECTED.search(text) is not None


def started_with(reachable: Reachable, ready: Ready) -> Reachable:
    """The server with its values in their places: variables, arguments, headers, the address."""
    return replace(
        reachable,
        launch=filled(reachable.launch, ready),
        environment={**reachable.environment, **ready.environment},
        headers={**reachable.headers, **ready.headers},
    )


def _hiding(values: dict[str, str]) -> Callable[[str], str]:
    def hide(text: str) -> str:
        for name, value in sorted(values.items(), key=lambda pair: -len(pair[1])):
            if len(value) >= 4:
                text = text.replace(value, f"[{name}]")
        return printable(text)

    return hide
