"""How strictly a gate holds a session: a value, made elsewhere from files and options."""

from dataclasses import dataclass, field
from enum import StrEnum

from avow.core.snapshot import Source
from avow.protocol.negotiation import VersionPolicy


class OnChanged(StrEnum):
    """What happens to something approved that looks different now."""

    BLOCK = "block"
    PIN = "pin"


class Fallback(StrEnum):
    """What to hold a session to when its server declares no signature."""

    FREEZE = "freeze"
    REJECT = "reject"
    OPEN = "open"


class OnServerChanged(StrEnum):
    """What happens when another server answers than the one that was approved."""

    REFUSE = "refuse"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one connection may cost; each limit is met with a clear error, never with silence."""

    message_bytes: int = 64 * 1024 * 1024
    pending_requests: int = 4096
    held_messages: int = 4096
    held_bytes: int = 64 * 1024 * 1024
    list_pages: int = 1000
    list_items: int = 10_000
    list_bytes: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What a gate does with what is not as approved.

    `source` says how to come by a contract when none is given. `validate_arguments` is on for a lock entry
    unless it says otherwise. With `audit` nothing is withheld: events say what would have been.
    """

    on_changed: OnChanged = OnChanged.BLOCK
    on_server_changed: OnServerChanged = OnServerChanged.REFUSE
    validate_arguments: bool | None = None
    versions: VersionPolicy = field(default_factory=VersionPolicy)
    source: Source = Source.FROZEN
    fallback: Fallback = Fallback.FREEZE
    advertise_signature: bool = True
    audit: bool = False
    limits: Limits = field(default_factory=Limits)
