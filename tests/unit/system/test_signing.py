"""Signed lockfiles and snapshots: what was verified is what is used, to the last byte."""

import json
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from avow.core.canonical import canonical, digest_of
from avow.core.capability import Capability, Kind, Signature
from avow.core.dsse import sign
from avow.core.keys import PassphraseNeededError, PrivateKey
from avow.core.lockfile import Lockfile, dumps
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.errors import (
    AvowError,
    LockfileError,
    MalformedInputError,
    SignatureError,
    StorageError,
    UntrustedKeyError,
)
from avow.system.keys import (
    generate_key,
    load_private_key,
    load_public_key,
    load_trusted,
    public_path,
    write_key_pair,
)
from avow.system.signing import (
    LOCKFILE_TYPE,
    SNAPSHOT_TYPE,
    VerifiedSnapshot,
    sign_file,
    signature_path,
    verify_file,
    verify_lockfile,
    write_envelope,
)
from avow.system.snapshots import write_snapshot

ALICE, MALLORY = PrivateKey(b"a" * 32), PrivateKey(b"m" * 32)
TOOL = {"name": "read", "description": "Read.", "inputSchema": {"type": "object"}}
SNAPSHOT = Snapshot(
    target=StdioTarget("npx", ("server",)),
    server={"name": "files", "version": "1"},
    protocol_version="2025-11-25",
    era=Era.LEGACY,
    capabilities={},
    signature=Signature.of([Capability.read(Kind.TOOL, TOOL)]),
)
LOCKFILE = Lockfile().approve("files", SNAPSHOT)


@pytest.fixture
def lockfile(tmp_path: Path) -> Path:
    """A lockfile that Alice has signed."""
    path = tmp_path / "avow.lock"
    path.write_bytes(dumps(LOCKFILE))
    write_envelope(signature_path(path), sign_file(path, [ALICE]))
    return path


def test_a_signed_lockfile_is_returned_with_its_signer(lockfile: Path) -> None:
    verified = verify_lockfile(lockfile, [ALICE.public])

    assert verified.lockfile == LOCKFILE
    assert (verified.digest, verified.signer) == (digest_of(lockfile.read_bytes()), ALICE.public.identifier)


def test_a_snapshot_is_signed_too_and_does_not_pass_for_a_lockfile(tmp_path: Path) -> None:
    path = tmp_path / "files.json"
    write_snapshot(path, SNAPSHOT)
    write_envelope(signature_path(path), sign_file(path, [ALICE]))

    verified = verify_file(path, [ALICE.public])

    assert isinstance(verified, VerifiedSnapshot)
    assert verified.snapshot == SNAPSHOT
    with pytest.raises(SignatureError, match="not a lockfile"):
        verify_lockfile(path, [ALICE.public])


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_changing_any_byte_is_noticed(lockfile: Path, data: st.DataObject) -> None:
    signed = lockfile.read_bytes()
    place = data.draw(st.integers(0, len(signed) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != signed[place]))
    try:
        lockfile.write_bytes(signed[:place] + bytes([other]) + signed[place + 1 :])
        with pytest.raises(SignatureError, match="bytes have changed"):
            verify_lockfile(lockfile, [ALICE.public])
    finally:
        lockfile.write_bytes(signed)


@pytest.mark.parametrize("change", [b"\n", b" "])
def test_a_blank_that_changes_no_meaning_is_noticed_all_the_same(lockfile: Path, change: bytes) -> None:
    lockfile.write_bytes(lockfile.read_bytes() + change)

    with pytest.raises(SignatureError, match="bytes have changed"):
        verify_lockfile(lockfile, [ALICE.public])


def test_a_lockfile_that_nobody_trusted_has_signed_is_refused(lockfile: Path) -> None:
    with pytest.raises(UntrustedKeyError):
        verify_lockfile(lockfile, [MALLORY.public])
    with pytest.raises(UntrustedKeyError):
        verify_lockfile(lockfile, [])


def test_a_signature_of_another_file_does_not_help(lockfile: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.lock"
    other.write_bytes(dumps(Lockfile()))

    with pytest.raises(SignatureError, match="bytes have changed"):
        verify_lockfile(other, [ALICE.public], signature_path(lockfile))


def test_a_statement_that_shows_one_document_and_binds_another_is_refused(lockfile: Path) -> None:
    """A reader of the envelope would believe to have seen what was approved."""
    shown = {"digest": digest_of(lockfile.read_bytes()), "lockfile": {"lockfileVersion": 1, "servers": {}}}
    write_envelope(signature_path(lockfile), sign(canonical(shown), LOCKFILE_TYPE, [ALICE]))

    with pytest.raises(SignatureError, match="another document"):
        verify_lockfile(lockfile, [ALICE.public])


@pytest.mark.parametrize("kind", [SNAPSHOT_TYPE, "application/other"])
def test_a_lockfile_signed_as_something_else_is_refused(lockfile: Path, kind: str) -> None:
    statement = {"digest": digest_of(lockfile.read_bytes()), "snapshot": json.loads(lockfile.read_bytes())}
    write_envelope(signature_path(lockfile), sign(canonical(statement), kind, [ALICE]))

    with pytest.raises(SignatureError):
        verify_lockfile(lockfile, [ALICE.public])


@pytest.mark.parametrize("payload", [b"[]", b"{}"])
def test_a_statement_that_says_nothing_is_refused(lockfile: Path, payload: bytes) -> None:
    write_envelope(signature_path(lockfile), sign(payload, LOCKFILE_TYPE, [ALICE]))

    with pytest.raises(SignatureError):
        verify_lockfile(lockfile, [ALICE.public])


def test_without_a_readable_signature_nothing_is_verified(lockfile: Path) -> None:
    signature_path(lockfile).write_text("{}")
    with pytest.raises(MalformedInputError, match="not a DSSE envelope"):
        verify_lockfile(lockfile, [ALICE.public])
    signature_path(lockfile).unlink()
    with pytest.raises(StorageError, match="there is no file") as caught:
        verify_lockfile(lockfile, [ALICE.public])
    assert "avow sign" in caught.value.hint


def test_what_avow_would_refuse_is_not_signed(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"
    path.write_bytes(dumps(LOCKFILE).replace(b"Read.", b"Write."))
    with pytest.raises(LockfileError):
        sign_file(path, [ALICE])
    path.write_text("[]")
    with pytest.raises(MalformedInputError, match=r"avow\.lock"):
        sign_file(path, [ALICE])


def test_an_edited_lockfile_that_was_signed_nevertheless_is_still_refused(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"
    path.write_bytes(data := dumps(LOCKFILE).replace(b"Read.", b"Write."))
    statement = {"digest": digest_of(data), "lockfile": json.loads(data)}
    write_envelope(signature_path(path), sign(canonical(statement), LOCKFILE_TYPE, [ALICE]))

    with pytest.raises(LockfileError):
        verify_lockfile(path, [ALICE.public])


def test_key_files_are_for_their_owner_alone_and_read_back(tmp_path: Path) -> None:
    key = generate_key()

    public = write_key_pair(tmp_path / "key", key)

    assert public == public_path(tmp_path / "key") == tmp_path / "key.pub"
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert load_private_key(tmp_path / "key") == key
    assert load_public_key(public) == key.public
    assert load_trusted(str(public)) == key.public
    assert load_trusted(key.public.identifier) == key.public.identifier
    assert generate_key() != key


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "key.pub").write_text("precious")
    with pytest.raises(StorageError, match=r"key\.pub is there already"):
        write_key_pair(tmp_path / "key", ALICE)
    assert not (tmp_path / "key").exists()

    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StorageError, match="is there already"):
        write_key_pair(tmp_path / "link", ALICE)
    with pytest.raises(StorageError, match="cannot write"):
        write_key_pair(tmp_path / "none" / "key", ALICE)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    write_key_pair(tmp_path / "key", ALICE)
    (tmp_path / "key").chmod(mode)

    with pytest.raises(StorageError, match=f"mode 0{mode:o}") as caught:
        load_private_key(tmp_path / "key")

    assert "chmod 600" in caught.value.hint


def test_an_encrypted_key_needs_its_passphrase(tmp_path: Path) -> None:
    write_key_pair(tmp_path / "key", ALICE, b"correct horse")

    assert load_private_key(tmp_path / "key", b"correct horse") == ALICE
    with pytest.raises(PassphraseNeededError, match="key: the private key is encrypted"):
        load_private_key(tmp_path / "key")
    with pytest.raises(MalformedInputError, match="passphrase is wrong"):
        load_private_key(tmp_path / "key", b"battery staple")


def test_a_key_of_the_wrong_kind_is_named_with_its_file(tmp_path: Path) -> None:
    write_key_pair(tmp_path / "key", ALICE)

    with pytest.raises(AvowError, match="key: this is a private key"):
        load_trusted(str(tmp_path / "key"))
    (tmp_path / "key.pub").chmod(0o600)
    with pytest.raises(AvowError, match=r"key\.pub holds a public key"):
        load_private_key(tmp_path / "key.pub")
