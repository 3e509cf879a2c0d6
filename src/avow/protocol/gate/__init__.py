"""The engine that holds a session to a contract, in both directions and both eras, with no I/O.

Its own records are msgspec's structs: the client of a session waits while they are defined, and a data
class takes twenty times as long.
"""

from avow.protocol.gate.decision import Decision
from avow.protocol.gate.engine import Gate
from avow.protocol.gate.knowledge import Knowledge
from avow.protocol.gate.policy import Fallback, GatePolicy, Limits, OnChanged, OnServerChanged
from avow.protocol.gate.session import Phase
from avow.protocol.gate.signature import Declaration
from avow.protocol.gate.stateless import HeaderFacts

__all__ = [
    "Decision",
    "Declaration",
    "Fallback",
    "Gate",
    "GatePolicy",
    "HeaderFacts",
    "Knowledge",
    "Limits",
    "OnChanged",
    "OnServerChanged",
    "Phase",
]
