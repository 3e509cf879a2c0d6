"""What was found of a server: the code behind each handler, and what it sends."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from avow.audit.facts import Handler, Sent, Server
from avow.audit.model import Place
from avow.audit.source.code import Call, Expression, Function, Statement
from avow.audit.source.phases import Phases
from avow.audit.source.project import Scope

_MOST_PLACES: Final = 10


@dataclass(slots=True)
class Answer:
    """What answers one method: a function, or statements of a function that tells methods apart."""

    method: str
    scope: Scope
    node: Expression | Statement
    function: Function | None
    body: tuple[Statement, ...]
    by_framework: bool = False
    is_branch: bool = False
    delegates: bool = False


@dataclass(slots=True)
class Registrations:
    """What was found; `answers` holds the code behind each handler."""

    servers: list[Server] = field(default_factory=list)
    constructed: list[tuple[Scope, Call]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    is_dynamic: bool = False
    is_cut: bool = False
    elsewhere: set[str] = field(default_factory=set)
    unfollowed: list[Place] = field(default_factory=list)

    def notes(self) -> Iterator[str]:
        """Servers that are made where we cannot look, and handlers that are too many."""
        if self.is_cut:
            yield "there is more behind the handlers of initialize than an audit follows"
        for place in sorted(set(self.unfollowed))[:_MOST_PLACES]:
            yield f"{place.path}:{place.line}: could not follow which capabilities are declared here"
        if not self.servers:
            for module in sorted(self.elsewhere):
                yield f"the server is made by {module}, which is not in this tree"

    def handlers(self, phases: Phases) -> Iterator[Handler]:
        """Every answer as a fact."""
        handshakes = [one for one in self.answers if one.method == "initialize" and not one.delegates]
        in_branches = {_around(one) for one in handshakes if one.is_branch}
        by_sdk = any(not one.is_branch for one in handshakes)
        for answer in self.answers:
            own = _around(answer) in in_branches if answer.is_branch else by_sdk
            # Only beside a handshake of the server's own does it matter who asks for the phase.
            matters = own or not answer.by_framework
            yield Handler(
                answer.method,
                answer.node.place,
                matters and phases.checked(answer.scope, answer.node, answer.body),
                answer.by_framework,
                own,
            )


def _around(answer: Answer) -> tuple[str, int]:
    """The function that a branch stands in: its methods are told apart there."""
    function = next(answer.scope.nesting.around(answer.node), None)
    return answer.scope.path, function.span.start if function else -1
