"""Lockfiles on disk: read with a limit, written whole, and changed by one process at a time."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from avow.core.lockfile import Lockfile, dumps, loads
from avow.errors import LockfileError, StorageError
from avow.system.files import MAXIMUM_SIZE, read_bounded, write_atomically

PATIENCE: Final = 30.0

_PAUSE: Final = 0.05
_MISSING: Final = "run `avow lock` first, or say where it is with --lockfile FILE"
# What a network file system answers when it has no such locks, or none on a directory.
_NO_LOCKS: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP})


def read_lockfile(path: Path) -> Lockfile:
    """The lockfile at `path`, with its digests checked.

    Raises:
        StorageError: there is none, or it cannot be read.
        LockfileError: it is not what it says it is.
    """
    data = read_bounded(path, if_missing=_MISSING)
    try:
        return loads(data)
    except LockfileError as exc:
        raise LockfileError(f"{path}: {exc.message}", hint=exc.hint) from exc


def write_lockfile(path: Path, lockfile: Lockfile) -> None:
    """Replace the lockfile at `path`.

    Raises:
        StorageError: it cannot be written; the old one is as it was.
        LockfileError: it could not be read back.
    """
    data = dumps(lockfile)
    if len(data) > MAXIMUM_SIZE or loads(data) != lockfile:
        raise LockfileError(
            f"what would be written to {path} could not be read back; nothing was written",
            hint=f"a lockfile holds at most {MAXIMUM_SIZE // 2**20} MiB: use one for each group of servers",
        )
    write_atomically(path, data)


def update_lockfile(
    path: Path, change: Callable[[Lockfile], Lockfile], *, patience: float = PATIENCE
) -> Lockfile:
    """Read, change and write the lockfile while no other Avow does, and return what was written.

    A lockfile that is not there yet counts as an empty one.

    Raises:
        StorageError: it cannot be read or written, or another process holds it for too long.
        LockfileError: it is not what it says it is.
    """
    with alone(path, patience):
        changed = change(read_lockfile(path) if _is_there(path) else Lockfile())
        write_lockfile(path, changed)
    return changed


def _is_there(path: Path) -> bool:
    """Whether something is at `path`; a link that leads nowhere is a file yet to be written."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except OSError as exc:
        raise StorageError(f"cannot read {path}: {exc.strerror}") from exc
    return True


@contextlib.contextmanager
def alone(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the directory of a file that is changed: unlike a file of our own, that leaves nothing behind.

    Raises:
        StorageError: there is no such directory, or another process holds it for too long.
    """
    try:
        directory = path.resolve().parent
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, RuntimeError) as exc:
        raise StorageError(f"cannot write {path}: {exc}") from exc
    try:
        _wait_for(descriptor, path, patience)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, path: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as exc:
            if exc.errno in _NO_LOCKS:
                return
            if exc.errno not in {errno.EWOULDBLOCK, errno.EACCES} or time.monotonic() > deadline:
                raise StorageError(
                    f"another process has been writing {path} for {patience:g} s", hint="try again later"
                ) from exc
        time.sleep(_PAUSE)
