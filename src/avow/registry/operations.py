"""A registry as one file: copied while it runs, put back whole, with its secrets and its log's key."""

import os
import sqlite3
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from avow.errors import MalformedInputError, StorageError, UsageError
from avow.registry.opening import DATABASE, KEY, ORIGIN, Place
from avow.registry.store.opening import sqlite_file

_FILES: Final = {DATABASE: 0o600, KEY: 0o600, f"{KEY}.pub": 0o644, ORIGIN: 0o644}


def backup(place: Place, target: Path) -> None:
    """Copy a registry that keeps everything in its directory into one file, while it may be running.

    The file holds the key of the log: it is made for its owner alone.

    Raises:
        UsageError: the registry is in PostgreSQL, which has its own tools.
        StorageError: something cannot be read or written, or the file is there already.
    """
    database = sqlite_file(place.database) if place.database else place.data / DATABASE
    if database is None:
        raise UsageError("a PostgreSQL is copied with pg_dump", hint=f"and copy {place.data / KEY} too")
    if not database.is_file():
        raise StorageError(f"there is no registry in {place.data}", hint="name its directory with --data")
    try:
        with tempfile.TemporaryDirectory(prefix=".avow-backup-", dir=target.absolute().parent) as directory:
            copy = Path(directory) / DATABASE
            _copy_database(database, copy)
            made = Path(directory) / "backup"
            with tarfile.open(made, "x", format=tarfile.PAX_FORMAT) as archive:
                archive.add(copy, DATABASE)
                for name in (KEY, f"{KEY}.pub", ORIGIN):
                    if (place.data / name).is_file():
                        archive.add(place.data / name, name)
            made.chmod(0o600)
            # A link fails where something is, and so never overwrites.
            target.hardlink_to(made)
    except FileExistsError:
        raise StorageError(f"{target} is there already", hint="choose another name") from None
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        raise StorageError(
            f"the backup {target} cannot be written: {getattr(error, 'strerror', None) or error}",
            hint="choose another place, with room for the whole registry",
        ) from error


def restore(source: Path, directory: Path) -> None:
    """Put a backup into a directory that has no registry.

    Raises:
        StorageError: there is one already, or something cannot be read or written.
        MalformedInputError: it is no backup.
    """
    taken = [name for name in _FILES if (directory / name).exists()]
    if taken:
        raise StorageError(f"{directory / taken[0]} is there already", hint="restore into another directory")
    try:
        with tarfile.open(source, "r:") as archive:
            members = archive.getmembers()
            # Nothing but these files, and those as files: an archive can name any place on the disk.
            if {each.name for each in members} - _FILES.keys() or not all(each.isfile() for each in members):
                raise MalformedInputError(f"{source} is not a backup of a registry")
            if DATABASE not in {each.name for each in members} or len(members) > len(_FILES):
                raise MalformedInputError(f"{source} is not a whole backup of a registry")
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryDirectory(prefix=".avow-restore-", dir=directory) as made:
                for member in members:
                    _write(Path(made) / member.name, archive.extractfile(member), _FILES[member.name])
                _check_database(Path(made) / DATABASE)
                # The database last: whoever sees it sees a whole registry.
                for name in sorted(_FILES, key=DATABASE.__eq__):
                    if (Path(made) / name).exists():
                        (directory / name).hardlink_to(Path(made) / name)
            _settle(directory)
    except tarfile.ReadError as error:
        raise MalformedInputError(
            f"{source} is not a backup of a registry", hint="`avow registry backup FILE` makes one"
        ) from error
    except (OSError, tarfile.TarError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise StorageError(
            f"{source} cannot be restored: {why}", hint="name another file, or --data"
        ) from error


def _copy_database(source: Path, target: Path) -> None:
    address = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as before, closing(sqlite3.connect(target)) as after:
        before.backup(after)
        after.execute("PRAGMA journal_mode = DELETE")
    _check_database(target)


def _check_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA quick_check").fetchone()
    if found != ("ok",):
        raise StorageError(f"the database in {path} is damaged")


def _write(path: Path, content: Any, mode: int) -> None:
    assert content is not None  # only files are asked for
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        while piece := content.read(1024 * 1024):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def _settle(directory: Path) -> None:
    """Have the names in a directory on the disk, where a directory can be opened for that."""
    if os.name == "posix":
        opened = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
