"""What a caller may ask of a connection, what it gets back, and how a look at a server can fail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from avow.core.canonical import Digest
from avow.core.snapshot import Era, Snapshot
from avow.core.target import Target
from avow.errors import DeclarationError, ServerLaunchError


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a server's output we are ready to hold: a value in memory takes more than its bytes."""

    message_bytes: int = 16 * 1024 * 1024
    message_values: int = 600_000
    total_bytes: int = 64 * 1024 * 1024
    total_values: int = 2_000_000
    pages: int = 1_000
    items: int = 20_000
    signature_bytes: int = 4 * 1024 * 1024
    signature_items: int = 10_000
    words: int = 32 * 1024


@dataclass(frozen=True, slots=True)
class ConnectOptions:
    """How to reach a server: time, the values that no file holds, and limits.

    `timeout` is for the whole of one session, from the start of the server on. We introduce ourselves
    by the name of a client that many people use: a server that is on its best behaviour before
    scanners must not be able to tell. One that is known to live in an `era` is spoken to as its clients
    do, who do not try the other one first. One that shows the signature with the digest `expected` is
    given no more time to change its mind than a moment. Where the target has values filled in, `shown` is
    the same with the placeholders that messages may show.
    """

    timeout: float = 30.0
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    limits: Limits = Limits()
    client_name: str = "claude-ai"
    expected: Digest | None = None
    era: Era | None = None
    shown: Target | None = None
    on_progress: Callable[[str], None] | None = None

    def progress(self, text: str) -> None:
        """Tell whoever wants to know what is going on."""
        if self.on_progress is not None:
            self.on_progress(text)


@dataclass(frozen=True, slots=True)
class Look:
    """What a server showed, and under which circumstances: empty for an ordinary first look.

    With `other_era` it was asked in the other era than at first, whose versions and capabilities do not
    compare with those of the first.
    """

    seen: str
    snapshot: Snapshot
    other_era: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """Several looks at one server, a moment apart or under other names."""

    first: Snapshot
    others: tuple[Look, ...] = ()


class MalformedAnswerError(DeclarationError):
    """A server's answer cannot be read in one way only, so nothing in it is hashed."""


class HandshakeRefusedError(ServerLaunchError):
    """A server answered the handshake, and does not open a session."""


class ServerExitedError(ServerLaunchError):
    """A server left before it had answered; `output` holds its own words."""

    def __init__(self, message: str, hint: str = "", *, output: str = "", code: int | None = None) -> None:
        """Keep the server's words whole, beside the message that quotes their end."""
        super().__init__(message, hint)
        self.output = output
        self.code = code
