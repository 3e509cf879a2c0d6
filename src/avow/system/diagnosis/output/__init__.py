"""What a server said when it was started: what it asks for, and what its words say about why it failed."""

from dataclasses import dataclass, field

from avow.system.diagnosis.evidence import Evidence
from avow.system.diagnosis.output.causes import Cause, Sign, serves_http, signs, was_rejected
from avow.system.diagnosis.output.demands import Demand, Strength, demands, worth_reading
from avow.system.diagnosis.output.libraries import library_demands
from avow.system.diagnosis.output.parsers import parser_demands
from avow.system.diagnosis.output.text import Statement, statements
from avow.system.diagnosis.output.usage import Usage, read_usage

__all__ = ["Cause", "Demand", "Said", "Sign", "Statement", "Strength", "Usage", "listen"]


@dataclass(frozen=True, slots=True)
class Said:
    """Everything that the output of one start tells.

    `fixed` are demands in the fixed words of parsers and libraries, which need no guessing; `demands` are
    those in prose. `signs` point at causes, in the order in which they were said.
    """

    statements: tuple[Statement, ...] = ()
    fixed: tuple[Demand, ...] = ()
    demands: tuple[Demand, ...] = ()
    usage: Usage = field(default_factory=Usage)
    signs: tuple[Sign, ...] = ()
    serves_http: bool = False
    was_rejected: bool = False

    @property
    def ending(self) -> Statement | None:
        """The exception with which the program ended, where the last thing it said was one."""
        raised = [statement for statement in self.statements if statement.exception]
        return raised[-1] if raised else None


def listen(evidence: Evidence) -> Said:
    """Read everything that the server said."""
    said = statements((evidence.stderr, evidence.stdout, *evidence.messages))
    fixed = worth_reading(
        demand for statement in said for demand in (*parser_demands(statement), *library_demands(statement))
    )
    return Said(
        said,
        fixed,
        demands(said),
        read_usage(said),
        tuple(sign for statement in said for sign in signs(statement)[:1]),
        any(map(serves_http, said)),
        any(map(was_rejected, said)),
    )
