"""Secrets in an encrypted file: they come back, nobody else reads them, and nothing gets lost."""

import json
import stat
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from avow.system.secret_store import (
    SecretStoreError,
    StoreKind,
    StoreLockedError,
    TamperedSecretError,
)
from avow.system.secret_store import keys as key_sources
from avow.system.secret_store.encrypted import EncryptedFile

GITHUB = "github#sha256:1"
SECRET = "ghp_not-a-real-token-4711"


@pytest.fixture(autouse=True)
def cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes guessing slow makes tests slow, too."""
    for name in ("AVOW_PASSPHRASE", "AVOW_PASSPHRASE_FILE", "CREDENTIALS_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(key_sources._COST, "n", 2**4)


def opened(directory: Path) -> EncryptedFile:
    return EncryptedFile(directory / "data" / "secrets.json", directory / "keys" / "secrets.key")


def everything_in(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())


def test_a_secret_comes_back_and_is_nowhere_in_clear(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)

    assert opened(tmp_path).get(GITHUB, "TOKEN") == SECRET
    assert SECRET.encode() not in everything_in(tmp_path)
    assert SECRET.encode() not in b64decode(
        json.loads(_file(tmp_path).read_text())["servers"][GITHUB]["TOKEN"]
    )


def test_another_server_and_another_key_have_nothing(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)

    assert opened(tmp_path).get("github#sha256:2", "TOKEN") is None
    assert opened(tmp_path).get(GITHUB, "OTHER") is None


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)

    for path in (_file(tmp_path), tmp_path / "keys" / "secrets.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_others_could_read_is_closed_again_when_it_is_written(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    _file(tmp_path).chmod(0o644)

    opened(tmp_path).set(GITHUB, "OTHER", SECRET)

    assert stat.S_IMODE(_file(tmp_path).stat().st_mode) == 0o600


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    (tmp_path / "keys" / "secrets.key").chmod(0o640)

    with pytest.raises(SecretStoreError, match="may be read by others"):
        opened(tmp_path).get(GITHUB, "TOKEN")


def test_a_value_moved_to_another_place_opens_no_more(tmp_path: Path) -> None:
    """Whoever can write the file cannot hand the token of one server to another."""
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    document = json.loads(_file(tmp_path).read_text())
    document["servers"]["evil#sha256:2"] = {"TOKEN": document["servers"][GITHUB]["TOKEN"]}
    document["servers"][GITHUB]["URL"] = document["servers"][GITHUB]["TOKEN"]
    _file(tmp_path).write_text(json.dumps(document))

    for server, key in (("evil#sha256:2", "TOKEN"), (GITHUB, "URL")):
        with pytest.raises(TamperedSecretError, match="was not stored there") as caught:
            opened(tmp_path).get(server, key)
        assert SECRET not in f"{caught.value.message} {caught.value.hint}"
    assert opened(tmp_path).get(GITHUB, "TOKEN") == SECRET


@pytest.mark.parametrize("place", [0, 15, -1])
def test_a_changed_bit_is_noticed_and_nothing_is_lost(tmp_path: Path, place: int) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    document = json.loads(_file(tmp_path).read_text())
    data = bytearray(b64decode(document["servers"][GITHUB]["TOKEN"]))
    data[place] ^= 1
    document["servers"][GITHUB]["TOKEN"] = b64encode(data).decode()
    _file(tmp_path).write_text(json.dumps(document))
    before = _file(tmp_path).read_bytes()

    with pytest.raises(TamperedSecretError):
        opened(tmp_path).get(GITHUB, "TOKEN")
    assert _file(tmp_path).read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"version": 1}', b'{"version": 1, "key": {}, "servers": {"a": 1}}']
)
def test_a_damaged_file_is_an_error_and_is_never_written_over(tmp_path: Path, content: bytes) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    _file(tmp_path).write_bytes(content)

    with pytest.raises(TamperedSecretError, match="damaged"):
        opened(tmp_path).get(GITHUB, "TOKEN")
    with pytest.raises(TamperedSecretError, match="damaged"):
        opened(tmp_path).set(GITHUB, "TOKEN", "another")
    assert _file(tmp_path).read_bytes() == content


def test_a_file_without_the_proof_of_its_key_is_damaged(tmp_path: Path) -> None:
    """Else the next one who stores something would make a new key, and the old secrets be lost."""
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    document = json.loads(_file(tmp_path).read_text())
    del document["check"]
    _file(tmp_path).write_text(json.dumps(document))

    with pytest.raises(TamperedSecretError):
        opened(tmp_path).set(GITHUB, "OTHER", "another")


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    document = {**json.loads(_file(tmp_path).read_text()), "version": 2}
    _file(tmp_path).write_text(json.dumps(document))

    with pytest.raises(SecretStoreError, match="newer Avow"):
        opened(tmp_path).get(GITHUB, "TOKEN")


def test_a_lost_key_file_is_told_apart_and_not_replaced(tmp_path: Path) -> None:
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    (tmp_path / "keys" / "secrets.key").unlink()

    with pytest.raises(StoreLockedError, match="key of the stored secrets"):
        opened(tmp_path).get(GITHUB, "TOKEN")
    with pytest.raises(StoreLockedError):
        opened(tmp_path).set(GITHUB, "OTHER", "another")
    assert not (tmp_path / "keys" / "secrets.key").exists()


def test_a_passphrase_opens_what_it_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVOW_PASSPHRASE", "correct horse battery staple")
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)

    assert opened(tmp_path).get(GITHUB, "TOKEN") == SECRET
    assert "passphrase" in opened(tmp_path).describe().strength
    assert not (tmp_path / "keys").exists()

    monkeypatch.setenv("AVOW_PASSPHRASE", "wrong")
    with pytest.raises(StoreLockedError, match="not the one") as caught:
        opened(tmp_path).get(GITHUB, "TOKEN")
    assert "wrong" not in str(caught.value)

    monkeypatch.delenv("AVOW_PASSPHRASE")
    with pytest.raises(StoreLockedError, match="encrypted with a passphrase"):
        opened(tmp_path).get(GITHUB, "TOKEN")


@pytest.mark.parametrize("given", ["file", "systemd"])
def test_a_passphrase_may_be_in_a_file_or_a_credential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("AVOW_PASSPHRASE", "correct horse")
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    monkeypatch.delenv("AVOW_PASSPHRASE")
    path = tmp_path / "avow-passphrase"
    path.write_text("correct horse\n")

    if given == "file":
        monkeypatch.setenv("AVOW_PASSPHRASE_FILE", str(path))
    else:
        monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    assert opened(tmp_path).get(GITHUB, "TOKEN") == SECRET


def test_an_empty_passphrase_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").write_text("\n")
    monkeypatch.setenv("AVOW_PASSPHRASE_FILE", str(tmp_path / "empty"))

    with pytest.raises(StoreLockedError, match="empty"):
        opened(tmp_path).set(GITHUB, "TOKEN", SECRET)


@pytest.mark.parametrize(
    "cost",
    [
        {"n": 2**40},
        {"n": 2**20, "r": 32, "p": 16},
        {"n": 2**20, "p": 4},
        {"n": 0},
        {"r": "8"},
        {"salt": "not base64!"},
    ],
)
def test_a_recipe_that_would_cost_everything_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cost: dict[str, object]
) -> None:
    monkeypatch.setenv("AVOW_PASSPHRASE", "correct horse")
    opened(tmp_path).set(GITHUB, "TOKEN", SECRET)
    document = json.loads(_file(tmp_path).read_text())
    document["key"].update(cost)
    _file(tmp_path).write_text(json.dumps(document))

    with pytest.raises(SecretStoreError, match="how its key is made"):
        opened(tmp_path).get(GITHUB, "TOKEN")


def test_what_was_deleted_is_gone_and_the_rest_is_there(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.delete(GITHUB, "TOKEN")
    assert not _file(tmp_path).exists()
    store.set(GITHUB, "TOKEN", SECRET)
    store.set(GITHUB, "OTHER", "another")

    store.delete(GITHUB, "TOKEN")
    store.delete(GITHUB, "TOKEN")

    assert store.get(GITHUB, "TOKEN") is None
    assert store.list(GITHUB) == ("OTHER",)
    store.delete(GITHUB, "OTHER")
    assert store.list(GITHUB) == ()


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: opened(tmp_path).set(GITHUB, f"KEY{number:02}", str(number)), range(24)))

    store = opened(tmp_path)
    assert [store.get(GITHUB, f"KEY{number:02}") for number in range(24)] == list(map(str, range(24)))


def test_a_value_beyond_reason_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SecretStoreError, match="longer"):
        opened(tmp_path).set(GITHUB, "TOKEN", "x" * 70_000)


def test_it_says_plainly_what_it_is(tmp_path: Path) -> None:
    description = opened(tmp_path).describe()

    assert description.kind is StoreKind.FILE
    assert str(_file(tmp_path)) in str(description)
    assert "whoever reads both files reads the secrets" in str(description)


def _file(directory: Path) -> Path:
    return directory / "data" / "secrets.json"
