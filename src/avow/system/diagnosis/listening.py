"""Where a program waits for connections, as the Linux kernel tells; elsewhere nothing is known."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_LISTENING: Final = "0A"
_MOST_PROCESSES: Final = 5_000


def listening_addresses(group: int) -> tuple[str, ...]:
    """The addresses on which the processes of a group listen."""
    try:
        inodes = {inode for process in _members(group) for inode in _sockets(process)}
        return tuple(sorted({address for inode, address in _listeners() if inode in inodes}))
    except OSError:
        return ()


def _members(group: int) -> Iterator[Path]:
    for entry in sorted(_PROC.iterdir())[:_MOST_PROCESSES]:
        if entry.name.isdigit():
            with suppress(OSError, ProcessLookupError):
                if os.getpgid(int(entry.name)) == group:
                    yield entry


def _sockets(process: Path) -> Iterator[str]:
    with suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):
                place = str(descriptor.readlink())
                if place.startswith("socket:["):
                    yield place[8:-1]


def _listeners() -> Iterator[tuple[str, str]]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (_PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if len(fields) > 9 and fields[3] == _LISTENING:
                    yield fields[9], f"http://127.0.0.1:{int(fields[1].rpartition(':')[2], 16)}"
