"""An end to whole exchanges: a peer that sends a byte now and then would else be waited for without one.

A timeout of a socket is about one piece, and begins anew with the next.
"""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakSet


class Deadline:
    """The moment when an exchange has to be over, on the monotonic clock; `is_over` once it has passed."""

    def __init__(self, until: float) -> None:
        """Nobody waits for it yet."""
        self._until = until
        self._ended = threading.Event()

    @property
    def seconds(self) -> float:
        """How long there is still."""
        return max(0.0, self._until - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether the time has passed."""
        return self._ended.is_set() or self.seconds == 0

    def end(self) -> None:
        """Say that it has."""
        self._ended.set()


class Connections:
    """The sockets of one client, which are shut when the time of an exchange is over."""

    def __init__(self) -> None:
        """None is open yet."""
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._lock = threading.Lock()

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Wake whoever reads or writes when the time is over: they find the connection closed."""

        def end() -> None:
            deadline.end()
            with self._lock:
                opened = list(self._sockets)
            for each in opened:
                with suppress(OSError):
                    # That of the base class: the one for TLS would take its state from the thread that reads.
                    socket.socket.shutdown(each, socket.SHUT_RDWR)

        timer = threading.Timer(deadline.seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def note(self, info: Mapping[str, Any]) -> None:
        """Look at what httpcore traces: a step that returns a stream has opened a connection."""
        ask = getattr(info.get("return_value"), "get_extra_info", None)
        opened = None if ask is None else ask("socket")
        if isinstance(opened, socket.socket):
            with self._lock:
                self._sockets.add(opened)
