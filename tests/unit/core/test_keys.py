"""Ed25519 keys: the numbers of RFC 8032, and files that are something else."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from avow.core.keys import (
    PassphraseNeededError,
    PrivateKey,
    PublicKey,
    read_private_key,
    read_public_der,
    read_public_key,
)
from avow.errors import MalformedInputError

# RFC 8032, section 7.1, test 2.
KEY = PrivateKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
PUBLIC = PublicKey(bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
SIGNATURE = bytes.fromhex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)


def test_signatures_are_those_of_the_standard() -> None:
    assert KEY.public == PUBLIC
    assert KEY.sign(b"\x72") == SIGNATURE
    assert PUBLIC.verifies(SIGNATURE, b"\x72")


@pytest.mark.parametrize("signature", [b"", SIGNATURE[:-1], SIGNATURE + b"\0", bytes(64)])
def test_another_signature_or_message_does_not_verify(signature: bytes) -> None:
    assert not PUBLIC.verifies(signature, b"\x72")
    assert not PUBLIC.verifies(SIGNATURE, b"\x73")


def test_a_public_key_is_written_as_other_tools_read_it() -> None:
    loaded = serialization.load_pem_public_key(PUBLIC.pem)

    assert loaded.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    ) == (PUBLIC.der)
    assert read_public_key(PUBLIC.pem) == PUBLIC
    assert read_public_key(b"\r\n" + PUBLIC.pem.replace(b"\n", b"\r\n")) == PUBLIC


def test_the_identifier_is_the_digest_of_the_encoded_key() -> None:
    """As `openssl pkey -pubin -outform DER | sha256sum` computes it."""
    assert PUBLIC.identifier == "sha256:deb2ded39dc26fce0e6085b6fc34bf6b5941913bbfe2ea614113cff9e004c170"


@pytest.mark.parametrize("passphrase", [b"", b"correct horse"])
def test_a_private_key_reads_back(passphrase: bytes) -> None:
    assert read_private_key(KEY.pem(passphrase), passphrase) == KEY


def test_a_passphrase_for_a_key_that_has_none_does_no_harm() -> None:
    assert read_private_key(KEY.pem(), b"left in the environment") == KEY


def test_an_encrypted_key_asks_for_its_passphrase_and_knows_a_wrong_one() -> None:
    with pytest.raises(PassphraseNeededError, match="is encrypted"):
        read_private_key(KEY.pem(b"right"))
    with pytest.raises(MalformedInputError, match="passphrase is wrong"):
        read_private_key(KEY.pem(b"right"), b"wrong")


def test_keys_of_another_kind_are_named() -> None:
    other = ec.generate_private_key(ec.SECP256R1())
    private = other.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = other.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )

    with pytest.raises(MalformedInputError, match="signs with Ed25519"):
        read_private_key(private)
    with pytest.raises(MalformedInputError, match="not an Ed25519 public key"):
        read_public_key(public)


def test_one_half_is_not_taken_for_the_other() -> None:
    with pytest.raises(MalformedInputError, match="this is a private key"):
        read_public_key(KEY.pem())
    with pytest.raises(MalformedInputError, match="this is a public key"):
        read_private_key(PUBLIC.pem)


@pytest.mark.parametrize(
    "text", [b"", b"hello", b"-----BEGIN PUBLIC KEY-----\n!!!\n-----END PUBLIC KEY-----\n"]
)
def test_what_is_no_key_is_refused(text: bytes) -> None:
    with pytest.raises(MalformedInputError):
        read_public_key(text)
    with pytest.raises(MalformedInputError):
        read_private_key(text)
    with pytest.raises(MalformedInputError):
        read_public_der(text)


def test_a_private_key_never_shows() -> None:
    assert repr(KEY) == "PrivateKey()"
