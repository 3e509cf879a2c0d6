"""Reading files with a limit, and writing them whole or not at all."""

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import Final

from avow.errors import StorageError

MAXIMUM_SIZE: Final = 64 * 1024 * 1024


def read_bounded(path: Path, limit: int = MAXIMUM_SIZE, *, if_missing: str = "") -> bytes:
    """The content of a regular file; `if_missing` is the hint to give when there is none.

    Raises:
        StorageError: it is missing, not a regular file, larger than `limit`, or cannot be read.
    """
    try:
        # Opening a FIFO without O_NONBLOCK waits for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _require_regular(path, os.fstat(descriptor))
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(limit + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError as exc:
        raise StorageError(f"there is no file {path}", hint=if_missing) from exc
    except (OSError, ValueError) as exc:
        raise StorageError(f"cannot read {path}: {_reason(exc)}") from exc
    if len(data) > limit:
        raise StorageError(
            f"{path} is larger than {_megabytes(limit)}, the most that Avow reads of such a file"
        )
    return data


def write_atomically(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Replace a file's content in one step; whatever goes wrong, the old content stays as it was.

    A symbolic link is followed, an existing file keeps its permissions, and a new one gets `mode` as the
    process's mask allows.

    Raises:
        StorageError: it cannot be written.
    """
    try:
        target = path.resolve()
        if target.exists():
            found = target.stat()
            _require_regular(path, found)
            permissions: int | None = stat.S_IMODE(found.st_mode)
        else:
            permissions = None
        _replace(target, data, mode, permissions)
    except (OSError, ValueError, RuntimeError) as exc:
        hint = (
            "nothing was changed; make room or choose another place"
            if _is_full(exc)
            else "nothing was changed"
        )
        raise StorageError(f"cannot write {path}: {_reason(exc)}", hint=hint) from exc


def _replace(target: Path, data: bytes, mode: int, permissions: int | None) -> None:
    # Late: most of what reads a file writes none.
    import secrets

    temporary = target.with_name(f".avow-{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            if permissions is not None:
                os.fchmod(descriptor, permissions)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    finally:
        # Also on Ctrl-C; after the replacement there is nothing left to remove.
        temporary.unlink(missing_ok=True)
    _sync_directory(target.parent)


def _sync_directory(directory: Path) -> None:
    """Make the new name durable. Some file systems cannot; the content is whole either way."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _require_regular(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise StorageError(f"{path} is a directory, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise StorageError(f"{path} is not a regular file")


def _reason(exc: Exception) -> str:
    return exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)


def _is_full(exc: Exception) -> bool:
    return isinstance(exc, OSError) and exc.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def _megabytes(size: int) -> str:
    return f"{size / (1024 * 1024):g} MiB"
