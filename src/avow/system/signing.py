"""Signatures of lockfiles and snapshots: what was verified is what is returned, read once.

The signed statement holds the canonical document and the digest of the file's very bytes: one byte
more or less, were it only a blank, and the signature does not hold.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from avow.core.canonical import MAX_FILE_DEPTH, Digest, JsonValue, canonical, digest_of, parse_json
from avow.core.documents import read_snapshot_document
from avow.core.dsse import Envelope, Trusted, dumps, loads, sign, verify
from avow.core.keys import PrivateKey
from avow.core.lockfile import Lockfile
from avow.core.lockfile import loads as loads_lockfile
from avow.core.snapshot import Snapshot
from avow.errors import MalformedInputError, SignatureError
from avow.system.files import MAXIMUM_SIZE, read_bounded, write_atomically

LOCKFILE_TYPE: Final = "application/vnd.avow.lockfile+json"
SNAPSHOT_TYPE: Final = "application/vnd.avow.snapshot+json"

_MEMBERS: Final = {LOCKFILE_TYPE: "lockfile", SNAPSHOT_TYPE: "snapshot"}
# Base64 and the envelope around the largest file.
_ENVELOPE_LIMIT: Final = 2 * MAXIMUM_SIZE


@dataclass(frozen=True, slots=True)
class VerifiedLockfile:
    """A lockfile read from the very bytes that somebody trusted has signed."""

    lockfile: Lockfile
    digest: Digest
    signer: str


@dataclass(frozen=True, slots=True)
class VerifiedSnapshot:
    """A snapshot read from the very bytes that somebody trusted has signed."""

    snapshot: Snapshot
    digest: Digest
    signer: str


Verified: TypeAlias = VerifiedLockfile | VerifiedSnapshot


def signature_path(path: Path) -> Path:
    """Where the signature of a file is unless somebody says otherwise."""
    return path.with_name(f"{path.name}.sig")


def sign_file(path: Path, keys: Sequence[PrivateKey]) -> Envelope:
    """Sign the lockfile or snapshot at `path`; one that Avow itself would refuse is not signed.

    Raises:
        StorageError: it cannot be read.
        MalformedInputError: it is neither, or was edited by hand.
    """
    data = read_signable(path)
    kind = _kind(as_verified(path, data, signer=""))
    statement = {"digest": digest_of(data), _MEMBERS[kind]: _parse(data)}
    return sign(canonical(statement), kind, keys)


def write_envelope(path: Path, envelope: Envelope) -> None:
    """Write a signature file.

    Raises:
        StorageError: it cannot be written.
    """
    write_atomically(path, dumps(envelope) + b"\n")


def verify_lockfile(
    path: Path, trusted: Iterable[Trusted], signature: Path | None = None
) -> VerifiedLockfile:
    """Read the lockfile at `path` if one of these keys has signed it exactly as it is.

    Raises:
        StorageError: the lockfile or its signature cannot be read.
        SignatureError: the signature does not hold, or is not of a lockfile.
        UntrustedKeyError: none of the trusted keys has signed.
        MalformedInputError: the signature is not an envelope, or the lockfile not one that Avow accepts.
    """
    return require_lockfile(path, verify_file(path, trusted, signature))


def verify_file(path: Path, trusted: Iterable[Trusted], signature: Path | None = None) -> Verified:
    """The same for a lockfile or a snapshot, whichever it is.

    Raises:
        AvowError: as for `verify_lockfile`.
    """
    place = signature or signature_path(path)
    data = read_signable(path)
    envelope = _read_envelope(place)
    # 1. Somebody trusted has signed a statement ...
    kind = envelope.payload_type if envelope.payload_type in _MEMBERS else LOCKFILE_TYPE
    proven = verify(envelope, kind, trusted)
    # 2. ... about exactly these bytes ...
    statement = _parse(proven.payload, max_depth=MAX_FILE_DEPTH + 1)
    if not isinstance(statement, dict) or statement.get("digest") != digest_of(data):
        raise SignatureError(
            f"{path} is not what was signed: its bytes have changed since",
            hint="take the file from version control again, or review it and run `avow sign`",
        )
    # 3. ... which are read only now, and are the document that the statement shows to its readers.
    verified = as_verified(path, data, signer=proven.key.identifier)
    if _kind(verified) != kind or canonical(statement.get(_MEMBERS[kind])) != canonical(_parse(data)):
        raise SignatureError(f"{place} shows another document than {path}")
    return verified


def require_lockfile(path: Path, verified: Verified) -> VerifiedLockfile:
    """The verified lockfile.

    Raises:
        SignatureError: what was signed is a snapshot.
    """
    if not isinstance(verified, VerifiedLockfile):
        raise SignatureError(f"{path} is signed, but it is a snapshot and not a lockfile")
    return verified


def read_signable(path: Path) -> bytes:
    """The bytes of a lockfile or snapshot, to be read once and used for everything.

    Raises:
        StorageError: it cannot be read.
    """
    return read_bounded(path, if_missing="`avow lock` writes a lockfile, `avow inspect --save` a snapshot")


def as_verified(path: Path, data: bytes, *, signer: str) -> Verified:
    """What the bytes say. Only for bytes whose signature has been verified, or that are being signed.

    Raises:
        MalformedInputError: they are neither a lockfile nor a snapshot that Avow accepts.
    """
    try:
        document = _parse(data)
        if isinstance(document, dict) and "lockfileVersion" in document:
            return VerifiedLockfile(loads_lockfile(data), digest_of(data), signer)
        return VerifiedSnapshot(read_snapshot_document(document), digest_of(data), signer)
    except MalformedInputError as error:
        raise type(error)(f"{path}: {error.message}", hint=error.hint) from error


def _kind(verified: Verified) -> str:
    return LOCKFILE_TYPE if isinstance(verified, VerifiedLockfile) else SNAPSHOT_TYPE


def _read_envelope(place: Path) -> Envelope:
    data = read_bounded(place, _ENVELOPE_LIMIT, if_missing="`avow sign` writes it")
    try:
        return loads(data)
    except MalformedInputError as error:
        raise MalformedInputError(f"{place}: {error.message}", hint=error.hint) from error


def _parse(data: bytes, *, max_depth: int = MAX_FILE_DEPTH) -> JsonValue:
    return parse_json(data, max_depth=max_depth)
