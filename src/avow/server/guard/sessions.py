"""What the guard knows about a connection, and how many may be open halfway.

Nothing is kept in a table of our own: a session's state lies with the SDK's connection and goes with it. Only
sessions that have not finished their handshake are counted, and ended when there are too many or they take
too long, since each costs the SDK memory and a place that somebody else could have.
"""

import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from mcp.server.connection import Connection

from avow.core.canonical import JsonObject
from avow.core.snapshot import Era
from avow.protocol.gate.session import Phase
from avow.server.seam import Request, end_connection

_STATE: Final = "dev.avow/guard"
_HANDLE_LENGTH: Final = 16
STATELESS: Final = "stateless"


@dataclass(slots=True)
class Session:
    """One session of the handshake era, or one request of 2026-07-28.

    `handle` names it in the log. It is a digest: whoever reads a log must not be able to join a session.
    `declared` are the capabilities that the server declared in it; `None` where nothing is remembered.
    """

    handle: str
    era: Era
    phase: Phase = Phase.AWAITING_INIT
    has_handshake: bool = True
    version: str = ""
    is_restricted: bool = False
    client_capabilities: JsonObject = field(default_factory=dict)
    declared: frozenset[str] | None = None


class Sessions:
    """Finds the session of a request, and bounds those that are open halfway."""

    def __init__(
        self,
        *,
        most: int,
        seconds: float,
        on_dropped: Callable[[Session, str, int], None],
        on_ended: Callable[[Session], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Allow `most` sessions without a finished handshake, each for `seconds`.

        `on_dropped` hears why a session was ended and how many were since it heard last, at most once a
        second: a flood of sessions must not become a flood of words.
        """
        self._most = most
        self._seconds = seconds
        self._on_dropped = on_dropped
        self._on_ended = on_ended
        self._clock = clock
        self._half_open: OrderedDict[Connection, tuple[float, Session]] = OrderedDict()
        self._numbers = count(1)
        self._untold = 0
        self._told_at = -math.inf

    @property
    def half_open(self) -> int:
        """How many sessions have not finished their handshake."""
        return len(self._half_open)

    def open(self, request: Request) -> Session:
        """The session of a request, which begins here if it is new."""
        connection = request.connection
        found = connection.state.get(_STATE)
        if isinstance(found, Session):
            return found
        session = connection.state[_STATE] = self._begin(request, connection)
        return session

    def finished(self, request: Request) -> None:
        """The handshake of a session is over."""
        self._half_open.pop(request.connection, None)

    def _begin(self, request: Request, connection: Connection) -> Session:
        if request.era is Era.MODERN:
            return Session(STATELESS, Era.MODERN, Phase.ACTIVE, version=request.protocol_version)
        if connection.initialized.is_set():
            # Only a transport without sessions makes a connection that needs no handshake.
            return Session(
                STATELESS, Era.LEGACY, Phase.ACTIVE, has_handshake=False, version=request.protocol_version
            )
        session = Session(self._handle(connection.session_id), Era.LEGACY)
        connection.exit_stack.callback(self._end, connection, session)
        if connection.session_id is not None:
            self._admit(connection, session)
        return session

    def _admit(self, connection: Connection, session: Session) -> None:
        """Make room: the oldest go first, so that a flood displaces itself and not whoever is quick."""
        now = self._clock()
        while self._half_open:
            oldest, (since, _) = next(iter(self._half_open.items()))
            if now - since > self._seconds:
                self._drop(oldest, "its handshake took too long")
            elif len(self._half_open) >= self._most:
                self._drop(oldest, "too many sessions are open halfway")
            else:
                break
        self._half_open[connection] = (now, session)

    def _drop(self, connection: Connection, why: str) -> None:
        _, session = self._half_open.pop(connection)
        self._untold += 1
        if self._clock() - self._told_at >= 1.0:
            self._on_dropped(session, why, self._untold)
            self._untold, self._told_at = 0, self._clock()
        end_connection(connection)

    def _end(self, connection: Connection, session: Session) -> None:
        self._half_open.pop(connection, None)
        session.phase = Phase.TERMINATED
        self._on_ended(session)

    def _handle(self, session_id: str | None) -> str:
        if session_id is None:
            return f"local-{next(self._numbers)}"
        return hashlib.sha256(session_id.encode()).hexdigest()[:_HANDLE_LENGTH]


def session_of(request: Request) -> Session:
    """The session of a request that has passed the first part of the guard."""
    found = found_session(request)
    assert found is not None
    return found


def found_session(request: Request) -> Session | None:
    """The session of any request; a guarded server inside one that is not guarded has none."""
    found = request.connection.state.get(_STATE)
    return found if isinstance(found, Session) else None
