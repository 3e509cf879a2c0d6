"""Events as JSON lines, on standard error or in a file; a full pipe there stalls no session."""

import json
import queue
import sys
import threading
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO

from avow.core.canonical import JsonObject
from avow.core.severity import Severity
from avow.errors import StorageError
from avow.protocol.events import Event, event

_MOST_WAITING: Final = 4096
# How often a session may say the same thing, in a second, before it is only counted.
_MOST_REPEATS: Final = 20


def not_locked(server: str) -> Event:
    """The event of a session that no entry approves: it is held to what the server shows first."""
    return event("not_locked", Severity.CRITICAL, name=server, detail="no entry approves this server")


class EventLog:
    """A log that no session waits for: what cannot be written in time is counted, and the count written."""

    def __init__(self, server: str, path: Path | None = None) -> None:
        """Append to `path`, or write to standard error.

        Raises:
            StorageError: the file cannot be opened.
        """
        self._server = server
        self._stream: TextIO = sys.stderr
        if path is not None:
            try:
                self._stream = path.open("a", encoding="utf-8")
            except OSError as exc:
                raise StorageError(
                    f"cannot write the log {path}: {exc.strerror}", hint="name another file with --log"
                ) from exc
        self._waiting: queue.Queue[JsonObject | None] = queue.Queue(_MOST_WAITING)
        self._lost = 0
        self._thread: threading.Thread | None = None
        self._second = ""
        self._said: Counter[Event] = Counter()

    def write(self, events: Iterable[Event]) -> None:
        """Write events down, with the time it is now; what repeats itself within a second is counted."""
        for happened in events:
            now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            if now[:19] != self._second or len(self._said) > _MOST_WAITING:
                self._sum_up(now)
                self._second = now[:19]
            self._said[happened] += 1
            if self._said[happened] <= _MOST_REPEATS:
                self._put({"time": now, "server": self._server, **happened.document()})

    def _sum_up(self, now: str) -> None:
        """Say how often the last second repeated what it was not allowed to write each time."""
        for happened, times in self._said.items():
            if times > _MOST_REPEATS:
                repeated = {**happened.document(), "repeated": times - _MOST_REPEATS}
                self._put({"time": now, "server": self._server, **repeated})
        self._said.clear()

    def close(self) -> None:
        """Write what waits, for as long as somebody reads it, but not for long."""
        self._sum_up(self._second)
        if self._thread is not None:
            self._put(None)
            self._thread.join(timeout=2)
        if self._stream is not sys.stderr and not (self._thread and self._thread.is_alive()):
            self._stream.close()

    def _put(self, line: JsonObject | None) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="event log", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait(line)
        except queue.Full:
            self._lost += 1

    def _run(self) -> None:
        while (line := self._waiting.get()) is not None:
            lost, self._lost = self._lost, 0
            if lost:
                self._print({**line, "event": "log_overflow", "severity": "moderate", "lost": lost})
            self._print(line)

    def _print(self, line: JsonObject) -> None:
        try:
            self._stream.write(json.dumps(line, ensure_ascii=True) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            # A log nobody can write to must not end the session that it describes.
            self._lost += 1
