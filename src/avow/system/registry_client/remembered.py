"""What has been proved about each registry, on disk: the key of its log, and the last checkpoint that held.

Everything else in this package starts from here. A file that cannot be read is an error, never a fresh start:
to be forgotten is what an attacker wants.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonObject, canonical, digest_of, parse_json
from avow.core.readable_json import readable_json
from avow.core.tlog.checkpoint import VerifiedCheckpoint, open_checkpoint
from avow.core.tlog.notes import VerifierKey, read_verifier_key
from avow.errors import AvowError, StorageError
from avow.system.alone import alone_in
from avow.system.directories import state_directory
from avow.system.files import read_bounded, write_atomically

_MAX_FILE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Remembered:
    """The key of a registry's log, the last checkpoint that held, when it did, and where if that is known."""

    key: VerifierKey
    checkpoint: VerifiedCheckpoint
    at: datetime
    url: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of one registry, in a directory of its own."""

    url: str
    directory: Path

    @classmethod
    def of(cls, url: str, root: Path | None = None) -> "Memory":
        """The memory of the registry at this address, which is in the spelling of `read_address`."""
        place = (root or state_directory()) / "registries"
        return cls(url, place / sha256(url.encode()).hexdigest()[:32])

    @property
    def file(self) -> Path:
        """Where key and checkpoint are."""
        return self.directory / "log.json"

    def recall(self) -> Remembered | None:
        """What is remembered, or None when this registry was never met.

        Raises:
            StorageError: it cannot be read, or is damaged.
        """
        return self._recall(self.file)

    def recall_log(self, key: VerifierKey) -> Remembered | None:
        """What is remembered of the log with this key, wherever it was met: one key signs one log.

        Raises:
            StorageError: it cannot be read, or is damaged.
        """
        found = self._recall(self._file_of(key))
        return None if found is None or found.key != key else found

    def remember(self, remembered: Remembered) -> None:
        """Keep this instead of what was remembered, unless another process has seen more of the log by now.

        Raises:
            StorageError: it cannot be written.
        """
        document = {
            "avow": 1,
            "url": self.url,
            "key": str(remembered.key),
            "checkpoint": remembered.checkpoint.note.decode(),
            "verifiedAt": write_time(remembered.at),
        }
        for file in (self._file_of(remembered.key), self.file):
            _make(file.parent)
            # What is written is whole also where others cannot be kept out.
            with alone_in(file.parent):
                known = self._recall(file)
                if known is None or known.checkpoint.checkpoint.size <= remembered.checkpoint.checkpoint.size:
                    self.write(file, readable_json(document))

    def _file_of(self, key: VerifierKey) -> Path:
        return self.directory.parent / "logs" / f"{sha256(str(key).encode()).hexdigest()[:32]}.json"

    def _recall(self, file: Path) -> Remembered | None:
        if not file.exists():
            return None
        damaged = StorageError(
            f"what is remembered of {self.url} in {file} is damaged",
            hint="restore the file; removing it means trusting the registry anew",
        )
        with reading(damaged):
            document = parse_json(read_bounded(file, _MAX_FILE))
            key, at = read_verifier_key(document["key"]), read_time(document["verifiedAt"])
            checkpoint = open_checkpoint(document["checkpoint"].encode(), key)
            return Remembered(key, checkpoint, at, str(document["url"]))

    def keep_evidence(self, document: JsonObject) -> Path:
        """Keep what shows that the registry lied; the same lie is kept once.

        Raises:
            StorageError: it cannot be written.
        """
        name = digest_of(canonical(document)).removeprefix("sha256:")[:16]
        file = self.directory / "evidence" / f"{name}.json"
        self.write(file, readable_json(document))
        return file

    def write(self, file: Path, data: bytes) -> None:
        """Write one of the files of this memory, whole; only its owner can read it.

        Raises:
            StorageError: it cannot be written.
        """
        _make(file.parent)
        write_atomically(file, data, mode=0o600)


@contextmanager
def reading(damaged: StorageError) -> Iterator[None]:
    """Read a file of a memory in this block: whatever is wrong with what it holds is this error."""
    try:
        yield
    except StorageError:
        raise
    except (AvowError, KeyError, TypeError, AttributeError, ValueError) as exc:
        raise damaged from exc


def place(name: str, environment: str) -> str:
    """How files call a server in an environment."""
    return sha256(f"{environment}\n{name}".encode()).hexdigest()[:32]


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as exc:
        raise StorageError(f"cannot make {directory}: {exc.strerror}") from exc


def write_time(at: datetime) -> str:
    """A time as files hold it."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def read_time(text: str) -> datetime:
    """The inverse.

    Raises:
        ValueError: it is none.
    """
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at
