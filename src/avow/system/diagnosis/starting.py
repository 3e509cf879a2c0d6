"""Starting a server once, to learn how far it comes and what it says on the way.

It goes as for every other look at a server; what is kept besides is what it said, also when it works.
"""

import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Final

from avow.core.snapshot import Snapshot
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import AvowError, DeclarationError, ServerLaunchError, ServerTimeoutError
from avow.system.connect.negotiation import MixedErasError, Opening
from avow.system.connect.opening import open_channel
from avow.system.connect.options import ConnectOptions, HandshakeRefusedError, Limits, ServerExitedError
from avow.system.connect.session import introduce
from avow.system.connect.starting import start_program
from avow.system.diagnosis.evidence import LONGEST_OUTPUT, Evidence, Outcome
from avow.system.diagnosis.listening import listening_addresses
from avow.system.diagnosis.output import Cause, Strength, listen
from avow.system.diagnosis.output.names import Form
from avow.system.diagnosis.overhearing import OverheardChannel

_LIMITS: Final = Limits(words=LONGEST_OUTPUT // 2)


@dataclass(frozen=True, slots=True)
class Tried:
    """One start: the evidence, what the server showed where it works, and the error where it does not."""

    evidence: Evidence
    snapshot: Snapshot | None = None
    error: AvowError | None = field(default=None, repr=False)


def try_once(target: Target, options: ConnectOptions, known: Evidence) -> Tried:
    """Start the server, or connect to it, and look at what it offers; nothing is raised about the server.

    `known` is what is known about it before: how it is started and with what, and its package.
    """
    options = replace(options, limits=_LIMITS)
    tried = _attempt(target, options, known, Opening.PROBE)
    match tried.error:
        # Some servers leave at the first request that they do not know, or are of one era only.
        case ServerExitedError() if not _is_clear(tried.evidence):
            return _attempt(target, options, known, Opening.HANDSHAKE)
        case MixedErasError():
            return _attempt(target, options, known, Opening.DISCOVER)
        case _:
            return tried


def _is_clear(evidence: Evidence) -> bool:
    """Whether a server said why it left, in words that are not about the request that it was sent."""
    said = listen(evidence)
    named = (
        name
        for demand in (*said.fixed, *said.demands)
        if demand.strength is Strength.REQUIRED
        for way in demand.ways
        for name in way
    )
    return any(name.form in (Form.VARIABLE, Form.FLAG) for name in named) or any(
        sign.cause is Cause.DEPENDENCY and sign.decisive for sign in said.signs
    )


def _attempt(target: Target, options: ConnectOptions, known: Evidence, opening: Opening) -> Tried:
    deadline = time.monotonic() + options.timeout
    try:
        program = start_program(target, options) if isinstance(target, StdioTarget) else None
        channel = OverheardChannel(open_channel(target, options, program))
    except AvowError as error:
        return Tried(replace(known, outcome=Outcome.NOT_STARTED, messages=(error.message,)), error=error)
    group = None if program is None else program.process.pid
    with closing(channel):
        has_introduced_itself = False
        try:
            session = introduce(target, channel, options, deadline, opening)
            has_introduced_itself = True
            snapshot = session.look()[0].snapshot
        except AvowError as error:
            evidence = _failed(known, error, has_introduced_itself=has_introduced_itself)
            if isinstance(error, ServerTimeoutError) and group is not None:
                evidence = replace(evidence, listening=listening_addresses(group))
            return Tried(_with_words(evidence, channel, error), error=error)
        return Tried(_with_words(_worked(known, snapshot), channel, None), snapshot)


def _failed(known: Evidence, error: AvowError, *, has_introduced_itself: bool) -> Evidence:
    code = error.code if isinstance(error, ServerExitedError) else None
    if has_introduced_itself and not isinstance(error, ServerExitedError):
        return replace(known, outcome=Outcome.NO_LISTS, messages=(error.message,))
    match error:
        case ServerExitedError():
            outcome = Outcome.EXITED
        case ServerTimeoutError():
            outcome = Outcome.SILENT
        case HandshakeRefusedError() | DeclarationError():
            outcome = Outcome.REFUSED
        case ServerLaunchError():
            outcome = Outcome.EXITED
        case _:
            outcome = Outcome.REFUSED
    # The words of an error about a program that left, or did not answer, are its own and are kept apart.
    messages = () if isinstance(error, ServerExitedError | ServerTimeoutError) else (error.message,)
    return replace(known, outcome=outcome, exit_code=code, messages=messages)


def _worked(known: Evidence, snapshot: Snapshot) -> Evidence:
    from avow.core.capability import Kind
    from avow.core.configuration.wire import read_schema

    declared = known.declared
    if snapshot.configuration_schema is not None:
        with suppress(DeclarationError):
            declared = read_schema(snapshot.configuration_schema)
    return replace(
        known, outcome=Outcome.OK, tools=len(snapshot.signature.of_kind(Kind.TOOL)), declared=declared
    )


def _with_words(evidence: Evidence, channel: OverheardChannel, error: AvowError | None) -> Evidence:
    words = error.output if isinstance(error, ServerExitedError) and error.output else channel.words()
    return replace(evidence, stderr=words, messages=(*evidence.messages, *channel.messages))


def started_with(target: Target, environment: Mapping[str, str], headers: Mapping[str, str]) -> Evidence:
    """What is known before a start: the command as it may be shown, and the names of what is given."""
    match target:
        case StdioTarget():
            from avow.core.credentials import shown_command

            flags = (word.partition("=")[0] for word in target.args if word.startswith("-"))
            given = frozenset({*target.env, *environment, *flags})
            return Evidence(Outcome.NOT_TRIED, tuple(shown_command(target)), given)
        case HttpTarget():
            return Evidence(Outcome.NOT_TRIED, given=frozenset({*target.headers, *headers}))
        case _:
            return Evidence(Outcome.NOT_TRIED)
