"""What a source tree says about negotiation, in terms that hold for every language and SDK.

Readers of a language make these facts; rules judge them. A fact is only ever stated with its place, and
what a reader could not follow is a note, never silence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from avow.audit.model import Level, Place


class Framework(StrEnum):
    """What a server is built with, as far as it decides who answers what."""

    TYPESCRIPT_HIGH = "typescript-mcpserver"
    TYPESCRIPT_LOW = "typescript-server"
    TYPESCRIPT_FASTMCP = "typescript-fastmcp"
    PYTHON_HIGH = "python-mcpserver"
    PYTHON_LOW = "python-server"
    FASTMCP = "fastmcp"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Server:
    """A server object; `is_guarded` when `avow.server`'s guard, or one of its own, is applied to it."""

    framework: Framework
    place: Place
    is_guarded: bool = False


class Claim(StrEnum):
    """What a client says about itself in the handshake, and can make up."""

    CAPABILITIES = "capabilities"
    CLIENT_INFO = "clientInfo"
    VERSION = "protocolVersion"
    OTHER = "params"


class Sink(StrEnum):
    """What a claim ends up deciding."""

    DECLARATION = "declaration"  # which capabilities the server declares
    FEATURE = "feature"  # which branch, flag or tool is on
    AUTHORIZATION = "authorization"  # a role, a permission, a tier
    SECRET = "secret"  # noqa: S105 - a credential is taken from it
    SESSION_KEY = "session-key"  # the key under which state is kept
    ANSWERED_VERSION = "answered-version"  # the version in the answer, as it came

    @property
    def words(self) -> str:
        """What is decided, in a sentence."""
        return _DECIDED.get(self, str(self))


_DECIDED: Final = {
    Sink.DECLARATION: "what the server declares",
    Sink.FEATURE: "what is switched on",
    Sink.AUTHORIZATION: "what the client may do",
}


@dataclass(frozen=True, slots=True)
class Flow:
    """A claim reaches a sink. `what` is the member that was read, as `experimental.advancedMode`."""

    claim: Claim
    sink: Sink
    place: Place
    what: str = ""
    confidence: Level = Level.HIGH


@dataclass(frozen=True, slots=True)
class Declared:
    """A capability that the server declares, with its members as far as they are known.

    `members` maps `listChanged`, `subscribe` or the name of an experimental feature to its value, `None`
    when that could not be told; `used` holds the experimental features that the tree mentions elsewhere.
    `with_handlers` when the SDK declares it only where something answers it.
    """

    capability: str
    place: Place
    members: Mapping[str, bool | None] = field(default_factory=dict, hash=False)
    used: frozenset[str] = frozenset()
    confidence: Level = Level.HIGH
    with_handlers: bool = False


@dataclass(frozen=True, slots=True)
class Handler:
    """A method that the server answers.

    `checks_phase` when its body, or everything that reaches it, makes sure that the session is active.
    `by_framework` when an SDK answers it for a tool, prompt or resource that was registered.
    `own_handshake` when it stands beside a handler of `initialize` that the server's authors wrote.
    """

    method: str
    place: Place
    checks_phase: bool = False
    by_framework: bool = False
    own_handshake: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A notification that the server sends, by its method."""

    method: str
    place: Place


@dataclass(frozen=True, slots=True)
class ClientUse:
    """Sampling, roots or elicitation asked of a client; `checked` when its declaration is looked at."""

    capability: str
    place: Place
    checked: bool
    confidence: Level = Level.HIGH


@dataclass(frozen=True, slots=True)
class Negotiation:
    """How a handler of `initialize` treats the version that the client asks for.

    `looks`: it reads the version at all; `allows`: it is held against a list of known versions before it
    counts; `orders`: it is compared with `<` and the like; `logs`: an older one is written to a log.
    `answers` holds the versions that it can answer with, when they are written there.
    """

    place: Place
    looks: bool
    allows: bool
    orders: Place | None = None
    logs: bool = False
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionState:
    """State kept per session in a mapping: whether it is ever taken out again."""

    place: Place
    released: bool


@dataclass(frozen=True, slots=True)
class Initialized:
    """A handler of `notifications/initialized` that makes a session active, and if it asks for the phase."""

    place: Place
    checks_phase: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that was found in one source tree.

    `is_dynamic` when handlers are registered under names that could not be told: then a handler that was
    not found may be there all the same. `units` counts the files that were read for it; `is_whole` is false
    when one that speaks of MCP could not be read, or only in part. `follows_declarations` is false when
    some of what a server declares could not be followed.
    """

    servers: tuple[Server, ...] = ()
    declared: tuple[Declared, ...] = ()
    handlers: tuple[Handler, ...] = ()
    sent: tuple[Sent, ...] = ()
    flows: tuple[Flow, ...] = ()
    uses: tuple[ClientUse, ...] = ()
    negotiations: tuple[Negotiation, ...] = ()
    session_states: tuple[SessionState, ...] = ()
    initialized: tuple[Initialized, ...] = ()
    is_dynamic: bool = False
    units: int = 0
    is_whole: bool = True
    follows_declarations: bool = True
    notes: tuple[str, ...] = ()

    def answers(self, method: str) -> bool:
        """Whether something in the tree answers the method."""
        return any(handler.method == method for handler in self.handlers)

    def sends(self, method: str) -> bool:
        """Whether something in the tree sends the notification."""
        return any(sent.method == method for sent in self.sent)
