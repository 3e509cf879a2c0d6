"""Opening a session with a target of any type."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from avow.core.snapshot import Era
from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.errors import AvowError
from avow.system.connect.channel import Channel
from avow.system.connect.negotiation import MixedErasError, Opening
from avow.system.connect.options import ConnectOptions, HandshakeRefusedError, ServerExitedError
from avow.system.connect.session import Session, introduce
from avow.system.connect.starting import Program, start_program
from avow.system.connect.stdio import StdioChannel


def usual_opening(era: Era | None) -> Opening:
    """How to begin with a server of which the era may be known."""
    match era:
        case Era.LEGACY:
            return Opening.HANDSHAKE
        case Era.MODERN:
            return Opening.AS_MODERN
        case None:
            return Opening.PROBE


@contextmanager
def open_session(
    target: Target, options: ConnectOptions, opening: Opening, program: Program | None = None
) -> Iterator[Session]:
    """Connect and introduce ourselves, to the `program` if it was started already.

    Whatever was started is ended on the way out.
    """
    deadline = time.monotonic() + options.timeout
    channel = open_channel(target, options, program)
    try:
        try:
            session = introduce(target, channel, options, deadline, opening)
        except (ServerExitedError, MixedErasError, HandshakeRefusedError) as exc:
            second = _second_opening(opening, exc)
            if second is None:
                raise
            channel.close()
            channel = open_channel(target, options)
            session = introduce(target, channel, options, deadline, second)
        yield session
    finally:
        channel.close()


def _second_opening(first: Opening, error: AvowError) -> Opening | None:
    """What to try on a new connection after this one was no success, if anything."""
    match error:
        case MixedErasError():
            return Opening.DISCOVER
        case ServerExitedError() if first in (Opening.PROBE, Opening.AS_MODERN):
            # Some servers leave at the first request that they do not know.
            return Opening.HANDSHAKE
        case HandshakeRefusedError() if first is Opening.HANDSHAKE:
            return Opening.AS_MODERN
        case _:
            return None


def open_channel(target: Target, options: ConnectOptions, program: Program | None = None) -> Channel:
    """The way to talk to this target; what only some of them need is imported for these."""
    match target:
        case StdioTarget():
            return StdioChannel(target, options, program or start_program(target, options))
        case HttpTarget():
            from avow.system.connect.http import HttpChannel

            return HttpChannel(target, options)
        case PythonTarget():
            from avow.system.connect.inprocess import PythonChannel

            return PythonChannel(target, options)
        case FileTarget():
            raise TypeError("a file holds a snapshot; nobody is there to talk to")
