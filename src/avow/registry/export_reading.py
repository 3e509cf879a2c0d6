"""Reads an export, which is believed line by line only after all of it led to the root in its first line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonObject, canonical, parse_json
from avow.core.tlog import notes
from avow.core.tlog.auditing import verify_log
from avow.core.tlog.checkpoint import Checkpoint, open_checkpoint, read_text
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import VerifierKey
from avow.errors import MalformedInputError, StorageError, VerificationError
from avow.registry.exporting import FORMAT

_MAX_LINE: Final = 16 * 1024 * 1024
_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Export:
    """A file whose entries are those of its checkpoint, which is None where there are no entries."""

    path: Path
    environments: dict[str, int]
    checkpoint: Checkpoint | None
    note: bytes

    @property
    def size(self) -> int:
        """How many entries there are."""
        return 0 if self.checkpoint is None else self.checkpoint.size

    def lines(self) -> Iterator[tuple[int, JsonObject]]:
        """Every line but the first, with its number."""
        return islice(_lines(self.path), 1, None)

    def begins_with(self, size: int, root: bytes) -> bool:
        """Whether the log of this size and root is how these entries begin."""
        try:
            _verify(size, root, islice(_entries(self.path), size))
        except VerificationError:
            return False
        return True

    def is_signed_by(self, key: VerifierKey) -> bool:
        """Whether this key signed the checkpoint."""
        try:
            open_checkpoint(self.note, key)
        except (MalformedInputError, VerificationError):
            return False
        return True


def read_export(path: Path, key: VerifierKey | None = None) -> Export:
    """Read a file through once; with a `key`, that of the log which the entries have to be of.

    Raises:
        StorageError: it cannot be read.
        MalformedInputError: it is no export.
        VerificationError: the entries are not those of the checkpoint, or another key signed it.
    """
    _, head = next(_lines(path), (0, {}))
    match head:
        case {"type": "export", "avow": int(version)} if version != FORMAT:
            raise MalformedInputError(f"line 1 of the export: it has format {version}", hint="upgrade Avow")
        case {
            "type": "export",
            "avow": int(),
            "environments": dict(needed),
            "checkpoint": None | str() as note,
        }:
            environments = {name: each for name, each in needed.items() if isinstance(each, int)}
        case _:
            raise MalformedInputError("line 1 of the export: it is not how an export begins")
    signed = (note or "").encode()
    checkpoint = None if note is None else _checkpoint(signed, key)
    export = Export(path, environments, checkpoint, signed)
    if checkpoint is not None:
        _verify(checkpoint.size, checkpoint.root, _entries(path))
    elif key is not None or any(True for _ in _entries(path)):
        raise VerificationError("the export has no checkpoint of its entries")
    return export


def _checkpoint(note: bytes, key: VerifierKey | None) -> Checkpoint:
    if key is not None:
        return open_checkpoint(note, key).checkpoint
    return read_text(notes.loads(note).text)


def _verify(size: int, root: bytes, entries: Iterable[bytes]) -> None:
    newest = [b""]

    def each() -> Iterator[bytes]:
        for newest[0] in entries:
            yield newest[0]

    # No hashes are stored beside the entries: only the root has to come out.
    verify_log(size, root, each(), lambda _: leaf_hash(newest[0]), every=64)


def _entries(path: Path) -> Iterator[bytes]:
    for _, document in _lines(path):
        if "entry" in document:
            yield canonical(document["entry"])


def _lines(path: Path) -> Iterator[tuple[int, JsonObject]]:
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_MAX_LINE + 1):
                number += 1
                if len(line) > _MAX_LINE:
                    raise MalformedInputError(f"line {number} of the export is too long")
                if line.strip():
                    yield number, _document(number, line)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error


def _document(number: int, line: bytes) -> JsonObject:
    try:
        document = parse_json(line, max_depth=_DEPTH)
    except MalformedInputError as error:
        raise MalformedInputError(f"line {number} of the export: {error.message}") from error
    if not isinstance(document, dict):
        raise MalformedInputError(f"line {number} of the export: it is not an object")
    return document
