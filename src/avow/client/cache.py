"""Signatures of servers on disk, so that a server need not repeat one that the client has.

A file is trusted for nothing but what can be recomputed from it: its name is the digest of its content.
Whatever is wrong with one, it is as if it were not there. Many processes may read and write at once: a file
appears whole or not at all, and what two of them write under one name is the same.
"""

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from avow.core.canonical import MAX_FILE_DEPTH, canonical, parse_json
from avow.core.capability import Kind, Signature
from avow.errors import MalformedInputError, StorageError
from avow.protocol.gate import Declaration, Limits
from avow.protocol.gate.signature import read_declaration
from avow.system.files import read_bounded, write_atomically

MAX_FILES: Final = 512
MAX_BYTES: Final = 128 * 1024 * 1024
PER_SERVER: Final = 4
"""How many signatures of one server are kept: it may have one for each release that is in use."""

_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_LIMITS: Final = Limits()


def default_directory() -> Path:
    """Where the platform keeps what can be made again."""
    import platformdirs

    return platformdirs.user_cache_path("avow") / "signatures"


class SignatureCache:
    """A directory with one directory for each server, and in that one file for each digest."""

    def __init__(self, directory: Path | None = None) -> None:
        """Keep signatures in a directory, which is made when it is needed."""
        self._directory = default_directory() if directory is None else directory

    def load(self, identity: str, digest: str | None) -> Declaration | None:
        """What the server is known to have declared: with that digest, or else what was written last."""
        folder = self._directory / identity
        wanted = _DIGEST.fullmatch(digest or "")
        if wanted is not None and (found := _read(folder / f"{wanted[1]}.json")) is not None:
            return found
        return next((found for path in _newest(folder) if (found := _read(path)) is not None), None)

    def store(self, identity: str, signature: Signature) -> None:
        """Keep a complete signature, and forget what is too old or too much; a full disk changes nothing."""
        document = {
            kind.collection: [capability.definition for capability in signature.of_kind(kind).values()]
            for kind in Kind
        }
        folder = self._directory / identity
        data = canonical(document)
        if len(data) > _LIMITS.list_bytes:
            return
        with contextlib.suppress(StorageError, OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(folder / f"{signature.digest.removeprefix('sha256:')}.json", data, mode=0o600)
            _forget(_newest(folder), PER_SERVER, MAX_BYTES)
            _forget(_sorted(self._directory.glob("*/*.json")), MAX_FILES, MAX_BYTES)


def choose_cache(chosen: SignatureCache | Path | bool) -> SignatureCache | None:
    """The cache that was chosen: this one, one in a directory, the usual one, or none."""
    if isinstance(chosen, bool):
        return SignatureCache() if chosen else None
    return SignatureCache(chosen) if isinstance(chosen, Path) else chosen


def _read(path: Path) -> Declaration | None:
    """A signature whose digest is the name of its file; nothing else counts."""
    try:
        document = parse_json(read_bounded(path, _LIMITS.list_bytes), max_depth=MAX_FILE_DEPTH)
        if not isinstance(document, dict) or document.keys() != {kind.collection for kind in Kind}:
            return None
        found = read_declaration(document, _LIMITS.list_items)
    except (StorageError, MalformedInputError):
        return None
    return found if found.signature.digest == f"sha256:{path.stem}" else None


def _newest(folder: Path) -> list[Path]:
    return _sorted(folder.glob("*.json"))


def _sorted(paths: Iterable[Path]) -> list[Path]:
    """The newest first; what another process has just removed is not among them."""
    dated = []
    with contextlib.suppress(OSError):
        for path in paths:
            with contextlib.suppress(OSError):
                dated.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(dated, reverse=True)]


def _forget(paths: list[Path], most: int, room: int) -> None:
    for number, path in enumerate(paths, start=1):
        with contextlib.suppress(OSError):
            room -= path.stat().st_size
            if number > most or room < 0:
                path.unlink()
