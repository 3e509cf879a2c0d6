"""Opening a target and looking at what is there: a program, an HTTP endpoint, a Python object, a file."""

from avow.system.connect.entrance import observe, take_snapshot
from avow.system.connect.options import (
    ConnectOptions,
    Limits,
    Look,
    MalformedAnswerError,
    Observation,
    ServerExitedError,
)

__all__ = [
    "ConnectOptions",
    "Limits",
    "Look",
    "MalformedAnswerError",
    "Observation",
    "ServerExitedError",
    "observe",
    "take_snapshot",
]
