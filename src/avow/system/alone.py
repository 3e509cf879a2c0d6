"""Keeps other processes of Avow out of a directory for a moment."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Wait until no other process is in here, and keep them waiting; the directory has to exist.

    Some network file systems have no locks: nobody waits there.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
