"""Checkpoints (C2SP tlog-checkpoint): what a log says it holds, in three signed lines."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from avow.core.tlog import notes
from avow.core.tlog.encoding import from_base64, to_base64
from avow.core.tlog.hashing import EMPTY_ROOT, HASH_LENGTH
from avow.core.tlog.notes import Signed, Signer, VerifierKey
from avow.core.tlog.tree import MAX_SIZE
from avow.errors import MalformedInputError, UntrustedKeyError

_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How many entries the log of this name has, and the root of the tree over them."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is signed."""
        lines = (self.origin, self.size, to_base64(self.root), *self.extensions)
        return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class VerifiedCheckpoint:
    """A checkpoint that the log signed, the note it came in, and who has witnessed it."""

    checkpoint: Checkpoint
    note: bytes
    witnessed: tuple[Signed, ...] = ()


def sign_checkpoint(checkpoint: Checkpoint, signer: Signer) -> bytes:
    """The checkpoint as a signed note.

    Raises:
        MalformedInputError: the signer has another name than the log, or this is not a checkpoint.
    """
    if signer.name != checkpoint.origin:
        raise MalformedInputError(
            f"the key of {signer.name} cannot sign for the log {checkpoint.origin[:80]}"
        )
    if read_text(checkpoint.text) != checkpoint:
        raise MalformedInputError("this cannot be written as a checkpoint")
    return notes.dumps(checkpoint.text, [notes.sign(checkpoint.text, signer)])


def add_cosignature(note: bytes, signature: notes.NoteSignature) -> bytes:
    """The same note with the line of a witness below; a line that the same key wrote before is replaced.

    Raises:
        MalformedInputError: it is not a note, or has no room.
    """
    found = notes.loads(note)
    others = [each for each in found.signatures if each.author != signature.author]
    return notes.dumps(found.text, [*others, signature])


def open_checkpoint(
    data: bytes, key: VerifierKey, witnesses: Iterable[VerifierKey] = ()
) -> VerifiedCheckpoint:
    """Check the signature of the log first, and read what it says second.

    Raises:
        MalformedInputError: it is not a checkpoint.
        SignatureError: a signature does not fit.
        UntrustedKeyError: another key signed it, or it is that of another log.
    """
    verified = notes.verify(notes.loads(data), [key, *witnesses])
    if all(each.key != key for each in verified.by):
        raise UntrustedKeyError(f"the checkpoint is not signed by the log {key.name}")
    checkpoint = read_text(verified.text)
    if checkpoint.origin != key.name:
        raise UntrustedKeyError(f"the checkpoint is that of {checkpoint.origin[:80]!r}, not of {key.name}")
    return VerifiedCheckpoint(checkpoint, data, tuple(each for each in verified.by if each.key != key))


def read_text(text: str) -> Checkpoint:
    """Read the text of a checkpoint; without the signature it says nothing.

    Raises:
        MalformedInputError: it is not one.
    """
    match text.split("\n"):
        case [origin, size, root, *extensions, ""] if origin and all(extensions) and _SIZE.fullmatch(size):
            hashed = from_base64(root)
        case _:
            raise MalformedInputError(
                "not a checkpoint: an origin, a size and a root are needed, a line each"
            )
    if int(size) > MAX_SIZE or hashed is None or len(hashed) != HASH_LENGTH:
        raise MalformedInputError("not a checkpoint: its size or its root is not one")
    if size == "0" and hashed != EMPTY_ROOT:
        raise MalformedInputError("not a checkpoint: a log without entries has another root")
    return Checkpoint(origin, int(size), hashed, tuple(extensions))
