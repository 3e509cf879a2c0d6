"""The sessions of clients up to 2025-11-25: found by an id nobody can guess, few enough, and not for ever."""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from avow.protocol.gate import Gate, HeaderFacts, Phase
from avow.proxy.gateway.conversation import Idle
from avow.proxy.gateway.stream import Header, Stream

HALF_OPEN_SECONDS: Final = 30.0
START_SECONDS: Final = 180.0
"""A server that is downloaded first takes its time to answer."""


class Session(Protocol):
    """What the gateway needs of a session, however its server is reached."""

    gate: Gate
    ended: bool

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for something."""

    def take(self, line: bytes, facts: HeaderFacts | None, headers: tuple[Header, ...] = ()) -> Stream:
        """A message of the client."""

    def listen(self, event_id: str, headers: tuple[Header, ...]) -> Stream | None:
        """The stream for what belongs to no request; `None` when somebody has it."""

    def prime(self, stream: Stream) -> bytes:
        """Lines with an id to resume a stream from; empty where there is none."""

    def tick(self, now: float) -> None:
        """Time passes."""

    def room(self) -> asyncio.Event | None:
        """Set while the server keeps up; `None` where it need not."""

    async def close(self) -> None:
        """End the session and what it holds."""


@dataclass(slots=True)
class Entry:
    """One session: of which server, for which token, and since when nobody used it."""

    server: str
    owner: bytes = field(repr=False)
    session: Session
    idle: Idle = field(default_factory=Idle)

    def is_stale(self, now: float, idle_seconds: float) -> bool:
        """Whether nobody would miss it: it never got through the handshake, or has long been quiet."""
        if self.session.ended:
            return True
        quiet = self.idle.seconds(now)
        if self.session.gate.phase is Phase.INIT_SENT:
            return quiet > HALF_OPEN_SECONDS
        if self.session.gate.phase is not Phase.ACTIVE:
            return quiet > START_SECONDS
        return quiet > idle_seconds and not self.session.is_busy


class Sessions:
    """All sessions of a gateway."""

    def __init__(self, most: int, idle_seconds: float) -> None:
        """At most so many, each ended when idle for so long."""
        self._most = most
        self._idle_seconds = idle_seconds
        self._entries: dict[str, Entry] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._opening = 0

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries)

    def count(self) -> dict[str, int]:
        """How many each server has."""
        return Counter(entry.server for entry in self._entries.values())

    @contextmanager
    def place(self) -> Iterator[bool]:
        """A place for one more session while it opens; false when there is none.

        Sessions that never got through the handshake give way.
        """
        free = self._make_room()
        self._opening += free
        try:
            yield free
        finally:
            self._opening -= free

    def _make_room(self) -> bool:
        if len(self._entries) + self._opening < self._most:
            return True
        for session_id, entry in self._entries.items():
            if entry.session.ended or (
                entry.session.gate.phase is Phase.INIT_SENT and not entry.session.is_busy
            ):
                self.remove(session_id)
                return True
        return False

    def add(self, server: str, owner: bytes, session: Session) -> str:
        """A new session; its id."""
        session_id = secrets.token_urlsafe(24)
        self._entries[session_id] = Entry(server, owner, session)
        return session_id

    def find(self, session_id: str, server: str, owner: bytes) -> Entry | None:
        """The session of an id, if it belongs to this server and token."""
        entry = self._entries.get(session_id)
        if entry is None or entry.server != server or entry.owner != owner or entry.session.ended:
            return None
        entry.idle.touch()
        return entry

    def remove(self, session_id: str) -> None:
        """End a session, without waiting for it."""
        entry = self._entries.pop(session_id, None)
        if entry is not None:
            task = asyncio.ensure_future(entry.session.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def end_all(self, server: str) -> None:
        """End every session with one server."""
        for session_id in [each for each, entry in self._entries.items() if entry.server == server]:
            self.remove(session_id)

    def sweep(self) -> None:
        """End what is stale, and let time pass for the rest."""
        now = time.monotonic()
        for session_id, entry in list(self._entries.items()):
            if entry.is_stale(now, self._idle_seconds):
                self.remove(session_id)
            else:
                entry.session.tick(now)

    async def close(self) -> None:
        """End all of them."""
        for session_id in list(self._entries):
            self.remove(session_id)
        await asyncio.gather(*self._closing)
