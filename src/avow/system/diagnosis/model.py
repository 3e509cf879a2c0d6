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

    `groups` are alternatives among the parameters, of which none is required by itself; `proposed` are the
    keys of the way of each that suits most people. `words` are the last ones of the server.
    """

    status: Status
    message: str
    parameters: tuple[Parameter, ...] = ()
    groups: tuple[Group, ...] = ()
    proposed: frozenset[str] = frozenset()
    next: str = ""
    words: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[Parameter, ...]:
        """What has to be given: what is required by itself, and one way of each group."""
        return tuple(one for one in self.parameters if one.required or one.key in self.proposed)
