"""What a gate decides, and where its parts put it while they work."""

from dataclasses import replace
from typing import NamedTuple

from avow.protocol.events import Event


class Decision(NamedTuple):
    """What becomes of a message: lines for each side, events for the log, and whether the session ends."""

    to_server: tuple[bytes, ...] = ()
    to_client: tuple[bytes, ...] = ()
    events: tuple[Event, ...] = ()
    close: bool = False


class Outbox:
    """Collects a decision."""

    __slots__ = ("close", "events", "to_client", "to_server")

    def __init__(self) -> None:
        """Nothing yet."""
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        self.events: list[Event] = []
        self.close = False

    def decision(self) -> Decision:
        """What was collected."""
        return Decision(
            tuple(self.to_server) if self.to_server else (),
            tuple(self.to_client) if self.to_client else (),
            tuple(self.events) if self.events else (),
            self.close,
        )


def as_audit(happened: Event) -> Event:
    """The same event where nothing was withheld."""
    detail = f"would be withheld: {happened.detail}" if happened.detail else "would be withheld"
    return replace(happened, detail=detail)
