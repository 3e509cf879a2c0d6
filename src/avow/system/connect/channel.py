"""Lines of bytes to and from a server, over a pair of file descriptors, without a thread.

Waiting for a line also drains what the server writes aside, so that it never blocks on its own log.
"""

import fcntl
import json
import os
import select
import termios
import time
from array import array
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from avow.core.canonical import JsonObject
from avow.errors import AvowError, PeerProtocolError
from avow.system.connect.options import Limits
from avow.system.connect.words import Secrets, Tail

_CHUNK: Final = 256 * 1024
_LONGEST_WAIT: Final = 0.5
_TIME_TO_READ: Final = 2.0
_LONGEST_OUTBOX: Final = 256 * 1024


class UnfitRequestError(PeerProtocolError):
    """The transport of the server turned one request down; another kind of request may pass."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The transport carried no answer to one request, for this reason."""

    id: int | None
    error: AvowError


class Channel(Protocol):
    """A way to talk to one server."""

    server: str
    secrets: Secrets
    is_ordered: bool
    """Whether requests reach the server one after the other, in the order in which we made them."""

    def send(self, message: JsonObject, until: float) -> None:
        """Hand a message over, waiting no longer than `until`."""

    def receive(self, until: float) -> bytes | Refused | None:
        """The next thing that came, or None when it is `until`; raises when nothing can come any more."""

    def is_read(self) -> bool:
        """Whether the server has taken in all that we sent."""

    def agree(self, version: str) -> None:
        """The handshake settled on this version of the protocol."""

    def ignore(self, line: bytes) -> None:
        """A line was no protocol: keep it for when the server has to explain itself."""

    def words(self) -> str:
        """What the server said besides the protocol."""

    def close(self) -> None:
        """End the session and everything that was started for it."""


class LineChannel:
    """JSON messages as lines; the base of everything that speaks through pipes."""

    is_ordered = True

    def __init__(
        self, server: str, reading: int, writing: int, aside: int | None, limits: Limits, secrets: Secrets
    ) -> None:
        """Speak through these descriptors, which stay the caller's to close."""
        self.server = server
        self.secrets = secrets
        self._reading, self._writing, self._aside = reading, writing, aside
        self._limit = limits.message_bytes
        self._lines: deque[bytes] = deque()
        self._rest = bytearray()
        self._outbox = bytearray()
        self._has_ended = False
        self._opened = self._active = time.monotonic()
        self._said = Tail(limits.words)
        self._noise = Tail(limits.words)
        self._poll = select.poll()
        for descriptor in (reading, aside):
            if descriptor is not None:
                os.set_blocking(descriptor, False)
                self._poll.register(descriptor, select.POLLIN)
        os.set_blocking(writing, False)

    def send(self, message: JsonObject, until: float) -> None:
        """Write one line; while the server does not read, go on reading what it says.

        What is not written by `until` follows later, unless the server never reads at all.
        """
        if len(self._outbox) > _LONGEST_OUTBOX:
            return
        self._outbox += json.dumps(message, separators=(",", ":")).encode() + b"\n"
        self._flush()
        while self._outbox and not self._lines and not self._has_ended and time.monotonic() < until:
            self._pump(until)

    def receive(self, until: float) -> bytes | None:
        """The next line, or None at `until`."""
        while not self._lines:
            if self._has_ended:
                raise self._ended()
            if time.monotonic() >= until:
                return None
            self._pump(until)
        return self._lines.popleft()

    def is_read(self) -> bool:
        """Whether nothing is left in the pipe; where the system does not tell, whether it had the time."""
        unread = array("i", [0])
        try:
            fcntl.ioctl(self._writing, termios.FIONREAD, unread)
        except OSError:
            return time.monotonic() > self._opened + _TIME_TO_READ
        return unread[0] == 0

    def agree(self, version: str) -> None:
        """Lines look the same in every version."""

    def ignore(self, line: bytes) -> None:
        """Keep the end of what was no protocol."""
        self._noise.append(line + b"\n")

    def words(self) -> str:
        """The log first, the noise on the standard output after it."""
        parts = (self._said.text(self.secrets), self._noise.text(self.secrets))
        return "\n".join(part for part in parts if part)

    def close(self) -> None:
        """Nothing was opened here."""

    def _ended(self) -> AvowError:
        """Why nothing more will come."""
        return PeerProtocolError(f"{self.server} closed the connection before it had answered")

    def _idle(self) -> None:
        """Nothing came for a while: a subclass may see whether anybody is still there."""

    def _pump(self, until: float) -> None:
        """Wait for something to read or write, and take in what came."""
        wait = max(0.0, min(until - time.monotonic(), _LONGEST_WAIT))
        if self._outbox:
            self._poll.register(self._writing, select.POLLOUT)
        ready = self._poll.poll(wait * 1000 + 0.5)
        if self._outbox:
            self._poll.unregister(self._writing)
        now = time.monotonic()
        if ready:
            self._active = now
        elif now > self._active + _LONGEST_WAIT:
            self._active = now
            self._idle()
        for descriptor, _ in ready:
            if descriptor == self._reading:
                self._take(self._read(descriptor))
            elif descriptor == self._aside:
                self._said.append(self._read(descriptor))
            else:
                self._flush()

    def _flush(self) -> None:
        try:
            while self._outbox:
                del self._outbox[: os.write(self._writing, self._outbox)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # It closed its input; what it still has to say, or how it ended, shows when we read.
            self._outbox.clear()

    def _read(self, descriptor: int) -> bytes:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._poll.unregister(descriptor)
            self._has_ended = self._has_ended or descriptor == self._reading
        return data

    def _take(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = bytes(self._rest) + lines[0]
            self._rest.clear()
            self._lines.extend(line for line in lines if line.strip())
        self._rest += rest
        if len(self._rest) > self._limit:
            raise PeerProtocolError(
                f"{self.server} sent a line of more than {self._limit // (1024 * 1024)} MiB",
                hint="no real list is that long; nothing of it was read",
            )
        if self._has_ended and self._rest:
            # A message ends with its line; this one was broken off.
            self.ignore(bytes(self._rest))

    def _drain_aside(self, seconds: float) -> None:
        """Take in the last of the log; a reader that arrives early would miss the reason for an exit."""
        until = time.monotonic() + seconds
        self._outbox.clear()
        with suppress(KeyError):
            self._poll.unregister(self._reading)
        while time.monotonic() < until and self._poll.poll(20):
            self._pump(until)
