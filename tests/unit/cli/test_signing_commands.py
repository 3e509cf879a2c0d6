"""`avow keygen`, `avow sign` and `avow verify`, from the command line to the exit code."""

import json
from pathlib import Path

import click
import pytest

from avow.cli.keygen import command as keygen
from avow.cli.sign import command as sign
from avow.cli.verify import command as verify
from avow.core.lockfile import Lockfile, dumps
from avow.errors import AvowError, StorageError, UsageError


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a lockfile, and nobody at the terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AVOW_KEY_PASSPHRASE", raising=False)
    (tmp_path / "avow.lock").write_bytes(dumps(Lockfile()))
    return tmp_path


def run(command: click.Command, *arguments: str) -> int:
    result = command.main(list(arguments), standalone_mode=False)
    assert isinstance(result, int)
    return result


def test_a_lockfile_is_signed_and_verified(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(keygen, "--out", "key") == 0
    identifier = capsys.readouterr().out.split()[-1]
    assert run(sign, "--key", "key") == 0
    assert (project / "avow.lock.sig").exists()

    assert run(verify, "--trust", "key.pub") == 0
    assert f"avow.lock is signed by {identifier}" in capsys.readouterr().out
    assert run(verify, "--trust", identifier, "--format", "json", "avow.lock") == 0

    document = json.loads(capsys.readouterr().out)
    assert (document["valid"], document["signer"]) == (True, identifier)


def test_an_edited_lockfile_or_a_stranger_is_answered_with_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(keygen, "--out", "key")
    run(keygen, "--out", "other")
    run(sign, "--key", "key", "--output", "elsewhere.sig")
    capsys.readouterr()

    assert run(verify, "--trust", "other.pub", "--signature", "elsewhere.sig") == 1
    assert "not trusted" in capsys.readouterr().err
    with (project / "avow.lock").open("ab") as file:
        file.write(b"\n")
    assert run(verify, "--trust", "key.pub", "--signature", "elsewhere.sig", "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["valid"] is False


def test_what_cannot_be_read_is_not_answered_with_one(project: Path) -> None:
    run(keygen, "--out", "key")

    with pytest.raises(StorageError):
        run(verify, "--trust", "key.pub")
    with pytest.raises(UsageError, match="whom you trust"):
        run(verify)
    with pytest.raises(UsageError, match="whom you trust"):
        run(verify, "--identity", "me@example.com")
    with pytest.raises(UsageError, match="--key FILE"):
        run(sign)


def test_a_passphrase_comes_from_the_environment_and_never_shows(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AVOW_KEY_PASSPHRASE", "correct horse")
    run(keygen, "--out", "key")
    assert b"ENCRYPTED" in (project / "key").read_bytes()
    assert run(sign, "--key", "key", "--quiet") == 0

    monkeypatch.setenv("AVOW_KEY_PASSPHRASE", "battery staple")
    with pytest.raises(AvowError, match="passphrase is wrong") as caught:
        run(sign, "--key", "key")
    monkeypatch.delenv("AVOW_KEY_PASSPHRASE")
    with pytest.raises(AvowError, match="is encrypted"):
        run(sign, "--key", "key")
    with pytest.raises(UsageError, match="no terminal"):
        run(keygen, "--out", "another", "--passphrase")

    told = capsys.readouterr()
    assert "battery" not in str(caught.value) + told.out + told.err
    assert not (project / "another").exists()
