"""The state of one connection: its era and phase, who waits for what, what the peers say of themselves."""

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from avow.core.contract import Contract
from avow.protocol.gate.calls import Calls
from avow.protocol.gate.knowledge import Knowledge
from avow.protocol.gate.pending import Claims, Listing, Pending, PendingTable
from avow.protocol.gate.policy import GatePolicy

if TYPE_CHECKING:
    from avow.core.canonical import JsonObject
    from avow.core.capability import Kind
    from avow.core.snapshot import Era

RESERVED_IDS: Final = "avow/gate/"
"""Ids of the gate's own requests start so; a client that uses such an id is refused."""


class Phase(StrEnum):
    """How far the handshake has come towards a session."""

    AWAITING_INIT = "awaiting_init"
    INIT_SENT = "init_sent"
    ACTIVE = "active"
    TERMINATED = "terminated"


class Session:
    """One connection.

    `era` is decided by the first request that the server answers well, not by what a client tries: a
    modern client may probe with `server/discover` and fall back to `initialize` on the same connection.
    `initializing` is true while an `initialize` waits for its answer.
    """

    def __init__(self, policy: GatePolicy, knowledge: Knowledge, server_name: str) -> None:
        """Nothing has been said yet."""
        self.policy = policy
        self.knowledge = knowledge
        self.server_name = server_name
        self.calls = Calls(knowledge, policy)
        self.phase = Phase.AWAITING_INIT
        self.era: Era | None = None
        self.initializing = False
        self.version = ""
        self.claims = Claims()
        self.server_capabilities: JsonObject | None = None
        self.pending: PendingTable[Pending] = PendingTable(policy.limits.pending_requests)
        self.server_pending: PendingTable[str] = PendingTable(policy.limits.pending_requests)
        self.walks: dict[Kind, Listing] = {}

    def resume(self, other: "Session") -> None:
        """Go on where another session on the same connection is; nobody waits for anything here."""
        self.phase, self.era, self.version = other.phase, other.era, other.version
        self.claims, self.server_capabilities = other.claims, other.server_capabilities

    @property
    def contract(self) -> Contract | None:
        """What the session is held to, once that is known."""
        return self.knowledge.contract
