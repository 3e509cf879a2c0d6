"""What client files were before Avow changed them, kept until the change is undone.

A configuration may hold secrets, so the copies are readable by their owner alone and go away with
the change.
"""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from avow.core.canonical import Digest, digest_of
from avow.errors import StorageError
from avow.system.files import read_bounded, write_atomically

# The largest client file that is read, in base64, with something to spare.
_LARGEST: Final = 96 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Backup:
    """The bytes of a file before we touched it, and the digest of what we left behind."""

    original: bytes = field(repr=False)
    left: Digest


@dataclass(frozen=True, slots=True)
class Backups:
    """Backups in one directory, one file for each client file."""

    directory: Path

    def find(self, path: Path) -> Backup | None:
        """The backup of `path`, or nothing when we did not change it.

        Raises:
            StorageError: there is one, and it cannot be read.
        """
        place = self._place(path)
        if not place.exists():
            return None
        damaged = StorageError(
            f"the backup {place} of {path} is damaged", hint="move it away, and compare the file yourself"
        )
        try:
            record: Any = json.loads(read_bounded(place, _LARGEST))
            backup = Backup(base64.b64decode(record["original"], validate=True), Digest(record["left"]))
            digest = record["digest"]
        except (ValueError, KeyError, TypeError) as error:
            raise damaged from error
        if digest_of(backup.original) != digest:
            raise damaged
        return backup

    def keep(self, path: Path, original: bytes, left: bytes) -> None:
        """Remember what `path` was, and what we are about to leave there.

        Raises:
            StorageError: it cannot be written.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StorageError(f"cannot create {self.directory}: {error.strerror}") from error
        record = {
            "path": str(path.absolute()),
            "digest": digest_of(original),
            "left": digest_of(left),
            "original": base64.b64encode(original).decode("ascii"),
        }
        write_atomically(self._place(path), json.dumps(record, indent=1).encode(), mode=0o600)

    def forget(self, path: Path) -> None:
        """Remove the backup: the change is undone, and the copy may hold secrets."""
        self._place(path).unlink(missing_ok=True)

    def _place(self, path: Path) -> Path:
        name = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()
        return self.directory / f"{name[:32]}.json"
