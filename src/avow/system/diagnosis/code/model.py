"""What the code of a package says about what has to be given to it, with the evidence for it."""

from dataclasses import dataclass, field
from enum import StrEnum

from avow.core.configuration.model import Group, Parameter


class Need(StrEnum):
    """When the code does without a value, and when not."""

    START = "start"
    """Without it the program ends before it serves anybody."""

    CALL = "call"
    """The program starts without it; a tool that needs it fails."""

    OPTIONAL = "optional"
    """There is a default, or the code goes on without it."""


@dataclass(frozen=True, slots=True)
class CodeFact:
    """One variable or argument that the code reads.

    `parameter.source.place` is `file:line` inside the package, `parameter.required` is true when it is needed
    at start, whether alone or as one way of a group. `parameter.fixed` is set for a word that has to stand on
    the command line as it is, such as a subcommand. `confidence` runs from 0 to 1; `reason` says in words of
    ours why it is needed.
    """

    parameter: Parameter
    need: Need
    confidence: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CodeGroup:
    """Several ways to satisfy the same check, by the keys of parameters."""

    group: Group
    need: Need
    confidence: float
    place: str = ""


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """Everything that was learnt from a package's code.

    `notes` say what was left out and why. `serves` tells whether the code, run in thought with everything it
    asks for, came to the point of serving MCP over its standard streams.
    """

    facts: tuple[CodeFact, ...] = ()
    groups: tuple[CodeGroup, ...] = ()
    notes: tuple[str, ...] = field(default=())
    serves: bool = False

    def needed(self, need: Need = Need.START, *, confidence: float = 0.5) -> tuple[CodeFact, ...]:
        """The facts of this need that are at least so certain."""
        return tuple(fact for fact in self.facts if fact.need is need and fact.confidence >= confidence)
