"""What a diagnosis says: the state of a server, in one word and one sentence, and what it needs."""

from dataclasses import dataclass
from enum import StrEnum

from avow.core.configuration.model import Group, Parameter


class Status(StrEnum):
    """The state of a server, in the words of reports."""

    OK = "ok"
    NEEDS_CONFIGURATION = "needs_configuration"
    BROKEN_DEPENDENCY = "broken_dependency"
    MISSING_SERVICE = "missing_service"
    WRONG_TRANSPORT = "wrong_transport"
    NOT_FOUND = "not_found"
    DRIFTED = "drifted"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a server, if anything, what it needs, and what to do next.

    `groups` are alternatives among the parameters. Of each group the way that is proposed is marked as
    required, and the others are not; whoever has one of them needs nothing else of that group.
    `evidence` are the words of the server on which the status rests, for whoever wants to see them.
    """

    status: Status
    message: str
    parameters: tuple[Parameter, ...] = ()
    groups: tuple[Group, ...] = ()
    next: str = ""
    evidence: tuple[str, ...] = ()
