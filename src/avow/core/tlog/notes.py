"""Signed notes (C2SP signed-note): a text and lines of signatures below it, by Ed25519 keys that have names.

Two kinds of signature are known: that of the author, and that of a witness, who says when it saw the text
(C2SP tlog-cosignature, version 1). A note has exactly one spelling: reading and writing are inverse.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Final

from avow.core.keys import PrivateKey, PublicKey
from avow.core.tlog.encoding import from_base64, to_base64
from avow.errors import MalformedInputError, SignatureError, UntrustedKeyError

# More than 16 signatures of 5 kB, which a reader of notes has to take: keys of later kinds have long ones.
MAX_NOTE: Final = 256 * 1024
MAX_SIGNATURES: Final = 64
MAX_NAME: Final = 255

_LAST_MOMENT: Final = 2**63 - 1
_DASH: Final = "\u2014"


class SignatureType(IntEnum):
    """What a signature says, as the first byte of an encoded key."""

    AUTHOR = 0x01
    WITNESS = 0x04


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key, whose it is, and what its signatures say."""

    name: str
    key: PublicKey
    type: SignatureType = SignatureType.AUTHOR

    @property
    def identifier(self) -> bytes:
        """Four bytes that tell the keys of one name apart; proof of nothing."""
        return sha256(self.name.encode() + b"\n" + self._encoded).digest()[:4]

    @property
    def author(self) -> str:
        """What tells this key from all others in a note: `name+identifier`."""
        return _author(self.name, self.identifier)

    @property
    def _encoded(self) -> bytes:
        return bytes([self.type]) + self.key.raw

    def __str__(self) -> str:
        """The key as people hand it on: `name+identifier+key`."""
        return f"{self.author}+{to_base64(self._encoded)}"


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key and its name."""

    name: str
    key: PrivateKey

    def __post_init__(self) -> None:
        """Refuse a name that no note could carry."""
        if not is_key_name(self.name):
            raise MalformedInputError(f"{self.name[:MAX_NAME]!r} cannot be the name of a key")

    def verifier(self, kind: SignatureType = SignatureType.AUTHOR) -> VerifierKey:
        """What others need to check the signatures."""
        return VerifierKey(self.name, self.key.public, kind)


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One line below a note; `verify` finds out whether it is good."""

    name: str
    identifier: bytes
    signature: bytes

    @property
    def author(self) -> str:
        """The key that is said to have signed, as `VerifierKey.author` spells it."""
        return _author(self.name, self.identifier)


@dataclass(frozen=True, slots=True)
class Note:
    """A text, and what is said to be signatures of it."""

    text: str
    signatures: tuple[NoteSignature, ...]


@dataclass(frozen=True, slots=True)
class Signed:
    """A key that signed, and for a witness when, in seconds since 1970."""

    key: VerifierKey
    time: int | None = None


@dataclass(frozen=True, slots=True)
class VerifiedNote:
    """A text that known keys signed; only `verify` makes one."""

    text: str
    by: tuple[Signed, ...]


def is_key_name(name: str) -> bool:
    """Whether a key can be called that."""
    visible = all(character.isprintable() and not character.isspace() for character in name)
    return 0 < len(name) <= MAX_NAME and visible and "+" not in name


def read_verifier_key(text: str) -> VerifierKey:
    """The inverse of `str(key)`.

    Raises:
        MalformedInputError: it is not such a key, or its parts do not fit each other.
    """
    name, _, rest = text.strip().partition("+")
    identifier, _, encoded = rest.partition("+")
    data = from_base64(encoded)
    if not is_key_name(name) or data is None or len(data) != 33 or data[0] not in list(SignatureType):
        raise MalformedInputError(
            "this is not the key of a log", hint="it looks like example.com/log+1a2b3c4d+AbCd…"
        )
    key = VerifierKey(name, PublicKey(data[1:]), SignatureType(data[0]))
    if key.identifier.hex() != identifier:
        raise MalformedInputError(f"the key of {name} is damaged: its identifier does not fit it")
    return key


def sign(text: str, signer: Signer) -> NoteSignature:
    """The signature of an author."""
    return NoteSignature(signer.name, signer.verifier().identifier, signer.key.sign(text.encode()))


def cosign(text: str, witness: Signer, *, at: int) -> NoteSignature:
    """The signature of a witness, at a time in seconds since 1970.

    Raises:
        ValueError: there is no such time.
    """
    if not 0 <= at <= _LAST_MOMENT:
        raise ValueError(f"{at} is not a time")
    signature = at.to_bytes(8) + witness.key.sign(_witnessed(text, at))
    return NoteSignature(witness.name, witness.verifier(SignatureType.WITNESS).identifier, signature)


def verify(note: Note, known: Iterable[VerifierKey]) -> VerifiedNote:
    """Check every signature by a known key; those by others say nothing, good or bad.

    Raises:
        SignatureError: a signature by a known key does not fit.
        UntrustedKeyError: no known key signed.
    """
    keys = {key.author: key for key in known}
    by: dict[VerifierKey, Signed] = {}
    for each in note.signatures:
        key = keys.get(each.author)
        if key is not None:
            by[key] = _signed(note.text, each, key)
    if not by:
        names = ", ".join(sorted({each.name for each in note.signatures})[:3])
        raise UntrustedKeyError(f"the note is signed by {names}, with no key that is trusted here")
    return VerifiedNote(note.text, tuple(by.values()))


def _signed(text: str, each: NoteSignature, key: VerifierKey) -> Signed:
    signed = Signed(key)
    message, signature = text.encode(), each.signature
    if key.type is SignatureType.WITNESS:
        at, signature = int.from_bytes(signature[:8]), signature[8:]
        message, signed = _witnessed(text, at), Signed(key, at)
        if at > _LAST_MOMENT:
            raise SignatureError(f"{key.name} signed at a time that there is not")
    if not key.key.verifies(signature, message):
        raise SignatureError(f"the signature of {key.name} does not fit the text above it")
    return signed


def dumps(text: str, signatures: Sequence[NoteSignature]) -> bytes:
    """The bytes of a note.

    Raises:
        MalformedInputError: a note cannot hold this text or as many signatures.
    """
    lines = [f"{_DASH} {each.name} {to_base64(each.identifier + each.signature)}\n" for each in signatures]
    data = (text + "\n" + "".join(lines)).encode()
    if loads(data) != Note(text, tuple(signatures)):
        raise MalformedInputError("this text cannot be signed as a note")
    return data


def loads(data: bytes) -> Note:
    """Read a note; nothing in it is to be trusted before `verify`.

    Raises:
        MalformedInputError: it is not a signed note.
    """
    if len(data) > MAX_NOTE:
        raise MalformedInputError(f"a signed note has at most {MAX_NOTE} bytes")
    try:
        content = data.decode()
    except UnicodeDecodeError as exc:
        raise MalformedInputError(f"not a signed note: not UTF-8 at byte {exc.start}") from exc
    if any(character < " " and character != "\n" for character in content):
        raise MalformedInputError("not a signed note: it holds control characters")
    above, separator, below = content.rpartition("\n\n")
    if not separator or not below.endswith("\n"):
        raise MalformedInputError("not a signed note: no signatures below an empty line")
    lines = below[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise MalformedInputError(f"a signed note has at most {MAX_SIGNATURES} signatures")
    return Note(above + "\n", tuple(_read_line(line) for line in lines))


def _read_line(line: str) -> NoteSignature:
    match line.split(" "):
        case [mark, name, encoded] if mark == _DASH and is_key_name(name):
            data = from_base64(encoded)
            if data is not None and len(data) > 4:
                return NoteSignature(name, data[:4], data[4:])
    raise MalformedInputError("not a signed note: a line below it is not a signature")


def _author(name: str, identifier: bytes) -> str:
    return f"{name}+{identifier.hex()}"


def _witnessed(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()
