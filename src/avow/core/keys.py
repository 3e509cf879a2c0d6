"""Ed25519 keys as values: PKCS #8 and SubjectPublicKeyInfo in PEM, signing, and verifying.

Where keys come from and where they are kept is somebody else's business. The cryptography library is
imported when a key is used, since most commands never use one.
"""

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NewType

from avow.core.canonical import digest_of
from avow.errors import MalformedInputError, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KeyId = NewType("KeyId", str)
"""`sha256:` and the SHA-256 of the SubjectPublicKeyInfo in DER: the same that `openssl` computes."""

# RFC 8410: an Ed25519 SubjectPublicKeyInfo is this, followed by the 32 bytes of the key.
_SPKI: Final = bytes.fromhex("302a300506032b6570032100")
_LENGTH: Final = 32


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half: 32 bytes."""

    raw: bytes

    @property
    def identifier(self) -> KeyId:
        """The name of the key, which nobody else's key can have."""
        return KeyId(digest_of(self.der))

    @property
    def der(self) -> bytes:
        """The SubjectPublicKeyInfo."""
        return _SPKI + self.raw

    @property
    def pem(self) -> bytes:
        """The SubjectPublicKeyInfo, as files hold it."""
        body = base64.b64encode(self.der)
        return b"-----BEGIN PUBLIC KEY-----\n" + body + b"\n-----END PUBLIC KEY-----\n"

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether this key made this signature over this message."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """The private half: 32 bytes that no `repr` shows."""

    raw: bytes = field(repr=False)

    @property
    def public(self) -> PublicKey:
        """The other half."""
        return PublicKey(self._key().public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """64 bytes; the same for the same message."""
        return self._key().sign(message)

    def pem(self, passphrase: bytes = b"") -> bytes:
        """PKCS #8, encrypted when there is a passphrase."""
        from cryptography.hazmat.primitives import serialization

        encryption = (
            serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
        )
        return self._key().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
        )

    def _key(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.raw)


class PassphraseNeededError(UsageError):
    """The key is encrypted, and nobody has said how to open it."""


def read_public_der(der: bytes) -> PublicKey:
    """Read a SubjectPublicKeyInfo.

    Raises:
        MalformedInputError: it is not that of an Ed25519 key.
    """
    if not der.startswith(_SPKI) or len(der) != len(_SPKI) + _LENGTH:
        raise MalformedInputError("this is not an Ed25519 public key", hint="`avow keygen` makes one")
    return PublicKey(der[len(_SPKI) :])


def read_public_key(pem: bytes) -> PublicKey:
    """Read a public key file.

    Raises:
        MalformedInputError: it is something else, a private key for example.
    """
    if b"PRIVATE KEY-----" in pem:
        raise MalformedInputError(
            "this is a private key, and a public one is needed", hint="it is in the file that ends in .pub"
        )
    begin, end = b"-----BEGIN PUBLIC KEY-----", b"-----END PUBLIC KEY-----"
    body = pem.strip()
    if not body.startswith(begin) or not body.endswith(end):
        raise MalformedInputError("this is not a public key in PEM", hint="`avow keygen` makes one")
    try:
        der = base64.b64decode(b"".join(body[len(begin) : -len(end)].split()), validate=True)
    except binascii.Error:
        raise MalformedInputError("this public key is damaged: it is not base64") from None
    return read_public_der(der)


def read_private_key(pem: bytes, passphrase: bytes = b"") -> PrivateKey:
    """Read a private key file.

    Raises:
        PassphraseNeededError: it is encrypted, and no passphrase was given.
        MalformedInputError: it is not a private Ed25519 key, or the passphrase is wrong.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if b"-----BEGIN PUBLIC KEY-----" in pem:
        raise MalformedInputError("this is a public key, and a private one is needed")
    encrypted = b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in pem
    if encrypted and not passphrase:
        raise PassphraseNeededError(
            "the private key is encrypted", hint="put its passphrase into AVOW_KEY_PASSPHRASE"
        )
    try:
        key = serialization.load_pem_private_key(pem, passphrase if encrypted else None)
    except Exception:  # noqa: BLE001  the library raises whatever its layers do, and its words may hold key material
        reason = (
            "the passphrase is wrong, or the key is damaged"
            if encrypted
            else "this is not a private key in PEM"
        )
        raise MalformedInputError(reason) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise MalformedInputError(
            f"this is a {type(key).__name__.removesuffix('PrivateKey')} key, and Avow signs with Ed25519",
            hint="`avow keygen` makes one",
        )
    return PrivateKey(key.private_bytes_raw())
