"""Ordinary sessions, one in each era: what every client sees, and what is wrong with that alone."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from avow.audit.live.asking import unsolicited, uses_client
from avow.audit.live.declaration import judge_declaration
from avow.audit.live.envelope import envelope
from avow.audit.live.probe import Known, UnansweredError
from avow.audit.live.signature import judge_signature
from avow.audit.live.surface import look, look_again
from avow.audit.live.talk import Reply, Talk
from avow.audit.live.visiting import Visitor
from avow.audit.model import Finding
from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.errors import AvowError


@dataclass(slots=True)
class Met:
    """A server after an ordinary session, and how to visit it from now on.

    `known` is None when it opened no session; then `why` says what it did instead, and `failure` is set when
    nobody was there, or left. What `is_doubtful` was not answered to the end.
    """

    visitor: Visitor
    known: Known | None = None
    findings: list[Finding] = field(default_factory=list)
    is_doubtful: bool = False
    uses_client: bool = False
    why: str = ""
    failure: AvowError | None = None


def meet(visitor: Visitor, allowed: frozenset[str]) -> Met:
    """Open a session with the handshake, and look around.

    Raises:
        AvowError: the server cannot be started, or the address is none.
    """
    began = time.monotonic()
    with visitor.visit() as talk:
        reply = talk.initialize()
        if reply.result is None:
            return _stranger(visitor, talk, reply, "initialize")
        talk.notify("notifications/initialized")
        return _look_around(visitor, talk, reply.result, None, began, allowed)


def meet_stateless(visitor: Visitor, allowed: frozenset[str]) -> Met:
    """Ask a server what it is in the modern way, and look around.

    Raises:
        AvowError: as `meet`.
    """
    began = time.monotonic()
    with visitor.visit() as talk:
        number = talk.ask("server/discover", envelope())
        talk.settle([number])
        reply = talk.reply(number)
        if reply.result is None:
            return _stranger(visitor, talk, reply, "server/discover")
        return _look_around(visitor, talk, reply.result, envelope(), began, allowed)


def _look_around(
    visitor: Visitor,
    talk: Talk,
    answer: JsonObject,
    params: JsonObject | None,
    began: float,
    allowed: frozenset[str],
) -> Met:
    opened = time.monotonic()
    surface = look(talk, answer, params)
    ended = time.monotonic()
    volatile = surface.volatile(look_again(talk, surface))
    has_session = params is None and talk.session is not None
    known = Known(surface, volatile, has_session, allowed)
    met = Met(visitor.acquainted(ended - began, ended - opened), known)
    talk.listen()
    _judge(met, judge_signature(talk, surface, params))
    _judge(met, judge_declaration(talk, known, params))
    talk.listen()
    met.findings.extend(unsolicited(talk))
    met.uses_client = uses_client(talk)
    return met


def _judge(met: Met, findings: Iterable[Finding]) -> None:
    try:
        for finding in findings:
            met.findings.append(finding)
    except UnansweredError:
        met.is_doubtful = True


def _stranger(visitor: Visitor, talk: Talk, reply: Reply, method: str) -> Met:
    """Say what came instead of a session."""
    failure = talk.problem or reply.failure
    if failure is not None:
        return Met(visitor, why=" ".join(filter(None, (failure.message, failure.hint))), failure=failure)
    if reply.error is not None:
        words = talk.channel.secrets.hide(str(reply.error.get("message", "")))
        return Met(visitor, why=f"refuses {method}: {printable(words, 200, fold=True)} ({reply.code})")
    noise = f", and sent {talk.noise} lines that are no messages" if talk.noise else ""
    return Met(visitor, why=f"did not answer {method} within {talk.patience:.0f} s{noise}")
