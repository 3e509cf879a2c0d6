"""What a connection tells its log: values without a time, which whoever writes them down adds."""

from dataclasses import dataclass

from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.core.severity import Severity

MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: its name, how much it matters, and what it concerns.

    `name` comes from one of the peers and has been made printable; `detail` is in our own words, with at
    most names and numbers from outside, so that a log can be read without trusting a server.
    """

    event: str
    severity: Severity
    kind: str = ""
    name: str = ""
    detail: str = ""

    def document(self) -> JsonObject:
        """The members of a log line, without those that say nothing."""
        members = {"event": self.event, "severity": str(self.severity)}
        for member in ("kind", "name", "detail"):
            if value := getattr(self, member):
                members[member] = value
        return members


def event(what: str, severity: Severity, *, kind: str = "", name: str = "", detail: str = "") -> Event:
    """An event about something that a peer named."""
    return Event(what, severity, str(kind), shown(name), detail)


def shown(name: str) -> str:
    """A name from outside, safe to print and not long."""
    return printable(name, MAX_NAME_LENGTH, fold=True)
