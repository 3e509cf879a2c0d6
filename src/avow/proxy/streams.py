"""Lines in and bytes out of file descriptors, without waiting for either and without unbounded buffers."""

import fcntl
import os
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

# Not more: the C library asks the system for larger blocks each time, which costs more than a message does.
_CHUNK: Final = 64 * 1024
_LONG: Final = 16 * 1024
_CRUMB: Final = 1024

# Linux only; elsewhere a pipe has the size it has.
_SET_PIPE_SIZE: Final = getattr(fcntl, "F_SETPIPE_SZ", None)
_PIPE_SIZE: Final = 1024 * 1024


def enlarge(descriptor: int) -> None:
    """Let a pipe hold a large message whole, so that its two ends need not take turns for each part."""
    if _SET_PIPE_SIZE is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, _SET_PIPE_SIZE, _PIPE_SIZE)


class LineTooLongError(Exception):
    """A peer sent more than a message may have."""


class Inlet:
    """Lines from a descriptor, as they come.

    A line may arrive in a thousand pieces, so pieces are joined once, when the line is complete.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        """Read from `descriptor`, at most `limit` bytes a line; that is more than one read brings."""
        assert limit >= _CHUNK
        self.descriptor = descriptor
        self.ended = False
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    def read(self) -> list[bytes]:
        """The lines that one read completes; after the last one, `ended` is set.

        Raises:
            LineTooLongError: a line is longer than the limit.
        """
        try:
            chunk = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            chunk = b""
        if not chunk:
            self.ended = True
            return self._complete([b""]) if self._pieces else []
        lines = chunk.split(b"\n") if len(chunk) < _LONG else _split_long(chunk)
        rest = lines.pop()
        if lines and self._pieces:
            self._complete(lines)
        if rest:
            self._keep(rest)
        # No line but the first can be longer than what was read.
        if self._size > self._limit or (lines and len(lines[0]) > self._limit):
            raise LineTooLongError
        return lines

    def _complete(self, lines: list[bytes]) -> list[bytes]:
        """Put what came before in front of the first line."""
        self._pieces.append(lines[0])
        lines[0] = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return lines

    def _keep(self, piece: bytes) -> None:
        """Remember the beginning of a line; crumbs are put together, since each piece costs memory itself."""
        self._size += len(piece)
        if len(piece) < _CRUMB and self._pieces and len(self._pieces[-1]) < _CHUNK:
            self._pieces[-1] += piece
        else:
            self._pieces.append(piece)


def _split_long(data: bytes) -> list[bytes]:
    """`data.split(b"\\n")`, which looks at one byte at a time; `find` looks at many."""
    lines = []
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        lines.append(data[start:end])
        start = end + 1
    lines.append(data[start:])
    return lines


class Outlet:
    """Bytes towards a descriptor; what it does not take at once waits in `backlog`."""

    def __init__(self, descriptor: int) -> None:
        """Write to `descriptor`, which must not block."""
        self.descriptor = descriptor
        self.broken = False
        self.closed = False
        self.backlog = 0
        self._waiting: deque[memoryview] = deque()

    def send(self, lines: Sequence[bytes]) -> None:
        """Write what can be written now, each line with its end, and keep the rest."""
        if len(lines) > 1:
            parts: tuple[bytes, ...] = (b"\n".join((*lines, b"")),)
        elif len(lines[0]) < _LONG:
            parts = (lines[0] + b"\n",)
        else:
            # Not copied, only to put an end behind it.
            parts = (lines[0], b"\n")
        written = 0 if self._waiting or self.broken else self._write(parts)
        for part in parts:
            if written < len(part) and not self.broken:
                self._waiting.append(memoryview(part)[written:])
                self.backlog += len(part) - written
            written = max(0, written - len(part))

    def flush(self) -> None:
        """Go on with what waits."""
        while self._waiting and not self.broken:
            view = self._waiting.popleft()
            written = self._write((view,))
            self.backlog -= written
            if written < len(view):
                self._waiting.appendleft(view[written:])
                return

    def _write(self, parts: tuple[bytes | memoryview, ...]) -> int:
        try:
            return os.writev(self.descriptor, parts)
        except BlockingIOError:
            return 0
        except OSError:
            # Nobody reads any more: whoever relays sees the other end of that connection close.
            self.broken = True
            self.backlog = 0
            self._waiting.clear()
            return 0

    def close(self) -> None:
        """Let the reader see the end."""
        if self.closed:
            return
        self.broken = self.closed = True
        with suppress(OSError):
            os.close(self.descriptor)
