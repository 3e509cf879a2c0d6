"""Sigstore: the real client against services of our own, since the public ones are out of a test's reach."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sigstore")

from avow.core.lockfile import Lockfile, dumps
from avow.errors import (
    MalformedInputError,
    SignatureError,
    StorageError,
    UnavailableError,
    UntrustedKeyError,
    UsageError,
)
from avow.system.signing import VerifiedLockfile
from avow.system.sigstore import (
    bundle_path,
    sign_keyless,
    verify_keyless,
    verify_lockfile_keyless,
    write_bundle,
)
from small_sigstore import ISSUER, SmallSigstore, running, token

ALICE = "alice@example.com"


@pytest.fixture(scope="module")
def sigstore() -> Iterator[SmallSigstore]:
    """Our own services."""
    with running() as services:
        yield services


@pytest.fixture
def lockfile(tmp_path: Path, sigstore: SmallSigstore) -> Path:
    """A lockfile that Alice has signed."""
    path = tmp_path / "avow.lock"
    path.write_bytes(dumps(Lockfile()))
    write_bundle(bundle_path(path), sign_keyless(path, trust=sigstore.trust, token=token(ALICE)))
    return path


def test_a_lockfile_is_signed_as_somebody_and_verified_as_theirs(
    lockfile: Path, sigstore: SmallSigstore
) -> None:
    verified = verify_keyless(lockfile, identity=ALICE, issuer=ISSUER, trust=sigstore.trust)

    assert isinstance(verified, VerifiedLockfile)
    assert verified.lockfile == Lockfile()
    assert verified.signer == f"{ALICE} ({ISSUER})"


@pytest.mark.parametrize(
    ("identity", "issuer"), [("mallory@example.com", ISSUER), (ALICE, "https://other.example")]
)
def test_another_identity_or_issuer_is_not_trusted(
    lockfile: Path, sigstore: SmallSigstore, identity: str, issuer: str
) -> None:
    with pytest.raises(UntrustedKeyError):
        verify_keyless(lockfile, identity=identity, issuer=issuer, trust=sigstore.trust)


def test_one_byte_more_breaks_the_signature(lockfile: Path, sigstore: SmallSigstore) -> None:
    lockfile.write_bytes(lockfile.read_bytes() + b"\n")

    with pytest.raises(SignatureError, match="does not hold"):
        verify_keyless(lockfile, identity=ALICE, issuer=ISSUER, trust=sigstore.trust)


def test_other_services_are_not_believed(lockfile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same names with other keys, and the roots of the public services that come with the package."""
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(lockfile.parent))
    impostor = SmallSigstore("http://127.0.0.1:9")

    with pytest.raises(SignatureError):
        verify_keyless(lockfile, identity=ALICE, issuer=ISSUER, trust=impostor.trust)
    with pytest.raises(SignatureError):
        verify_lockfile_keyless(lockfile, identity=ALICE, issuer=ISSUER, offline=True)


@pytest.mark.parametrize(("identity", "issuer"), [("", ISSUER), (ALICE, "")])
def test_verifying_needs_both_an_identity_and_its_issuer(lockfile: Path, identity: str, issuer: str) -> None:
    with pytest.raises(UsageError):
        verify_keyless(lockfile, identity=identity, issuer=issuer)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"mediaType": "x"}'])
def test_what_is_no_bundle_is_refused(lockfile: Path, sigstore: SmallSigstore, text: str) -> None:
    bundle_path(lockfile).write_text(text)

    with pytest.raises(MalformedInputError, match="not a Sigstore bundle"):
        verify_keyless(lockfile, identity=ALICE, issuer=ISSUER, trust=sigstore.trust)


def test_a_missing_bundle_says_how_to_make_one(tmp_path: Path) -> None:
    (tmp_path / "avow.lock").write_bytes(dumps(Lockfile()))

    with pytest.raises(StorageError) as caught:
        verify_keyless(tmp_path / "avow.lock", identity=ALICE, issuer=ISSUER)

    assert "avow sign --sigstore" in caught.value.hint


def test_what_avow_would_refuse_is_not_signed(tmp_path: Path, sigstore: SmallSigstore) -> None:
    (tmp_path / "avow.lock").write_text("{}")

    with pytest.raises(MalformedInputError):
        sign_keyless(tmp_path / "avow.lock", trust=sigstore.trust, token=token(ALICE))


def test_services_that_do_not_answer_are_reported_as_such(lockfile: Path) -> None:
    with pytest.raises(UnavailableError, match="ConnectionError"):
        sign_keyless(lockfile, trust=SmallSigstore("http://127.0.0.1:9").trust, token=token(ALICE))


def test_without_the_extra_the_user_is_told_what_to_install(
    lockfile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sigstore.models", None)

    with pytest.raises(UsageError, match="not installed") as caught:
        verify_keyless(lockfile, identity=ALICE, issuer=ISSUER)

    assert "avow[sigstore]" in caught.value.hint
