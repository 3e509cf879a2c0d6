"""Saved snapshots: the files that `avow inspect --save` writes and every command accepts as a target."""

from pathlib import Path

from avow.core.canonical import MAX_FILE_DEPTH, parse_json
from avow.core.documents import read_snapshot_document, snapshot_document
from avow.core.readable_json import readable_json
from avow.core.snapshot import Snapshot
from avow.errors import MalformedInputError
from avow.system.files import read_bounded, write_atomically


def read_snapshot(path: Path) -> Snapshot:
    """The snapshot in a file, with its digests checked.

    Raises:
        StorageError: the file cannot be read.
        MalformedInputError: it holds something else, or was edited.
    """
    data = read_bounded(path, if_missing="`avow inspect TARGET --save FILE` writes a snapshot")
    try:
        return read_snapshot_document(parse_json(data, max_depth=MAX_FILE_DEPTH))
    except MalformedInputError as exc:
        raise MalformedInputError(f"{path}: {exc.message}", hint=exc.hint) from exc


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Save a snapshot.

    Raises:
        StorageError: the file cannot be written.
    """
    write_atomically(path, readable_json(snapshot_document(snapshot)))
