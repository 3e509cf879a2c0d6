"""Opening a session with a target of any type, and letting another thread end it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.system.connect.channel import Channel
from avow.system.connect.negotiation import MixedErasError, Opening
from avow.system.connect.options import ConnectOptions, ServerExitedError
from avow.system.connect.session import Session, introduce
from avow.system.connect.stdio import StdioChannel


class Abortable(Protocol):
    """Something that another thread can end."""

    def abort(self) -> None:
        """End it now."""


class Turnstile:
    """Lets another thread end what a session has started, and keeps it from starting more."""

    def __init__(self) -> None:
        """Open at first."""
        self.is_shut = False
        self._inside: Abortable | None = None
        self._lock = threading.Lock()

    def enter(self, channel: Abortable) -> None:
        """A session has started something."""
        with self._lock:
            self._inside = channel
            if self.is_shut:
                channel.abort()

    def shut(self) -> None:
        """End what is running."""
        with self._lock:
            self.is_shut = True
            if self._inside is not None:
                self._inside.abort()


@contextmanager
def open_session(
    target: Target,
    options: ConnectOptions,
    opening: Opening = Opening.PROBE,
    turnstile: Turnstile | None = None,
) -> Iterator[Session]:
    """Connect and introduce ourselves; whatever was started is ended on the way out."""
    deadline = time.monotonic() + options.timeout
    channel = open_channel(target, options, turnstile)
    try:
        try:
            session = introduce(target, channel, options, deadline, opening)
        except (ServerExitedError, MixedErasError) as exc:
            if opening is not Opening.PROBE:
                raise
            # Some servers leave at the first request that they do not know.
            second = Opening.DISCOVER if isinstance(exc, MixedErasError) else Opening.HANDSHAKE
            channel.close()
            channel = open_channel(target, options, turnstile)
            session = introduce(target, channel, options, deadline, second)
        yield session
    finally:
        channel.close()


def open_channel(target: Target, options: ConnectOptions, turnstile: Turnstile | None = None) -> Channel:
    """The way to talk to this target."""
    match target:
        case StdioTarget():
            options.progress(f"starting {target.command}")
            channel = StdioChannel(target, options)
            if turnstile is not None:
                turnstile.enter(channel)
            return channel
        case HttpTarget():
            from avow.system.connect.http import HttpChannel

            return HttpChannel(target, options)
        case PythonTarget():
            from avow.system.connect.inprocess import PythonChannel

            return PythonChannel(target, options)
        case FileTarget():
            raise TypeError("a file holds a snapshot; nobody is there to talk to")
