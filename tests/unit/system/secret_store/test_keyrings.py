"""Secrets in the system's keyring: a backend like any other, and one that never answers."""

import socket
import time
from pathlib import Path
from threading import Event

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError

from avow.system.secret_store import (
    SecretStoreError,
    StoreKind,
    StoreLockedError,
    TamperedSecretError,
    open_store,
)
from avow.system.secret_store.keyrings import SERVICE, KeyringStore, open_keyring

GITHUB = "github#sha256:1"
SECRET = "ghp_not-a-real-token-4711"


class Memory(KeyringBackend):
    """A keyring that keeps everything in mind."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.items: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.items.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.items[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.items[service, username]


class Silent(Memory):
    """A keyring whose prompt nobody sees."""

    def get_password(self, service: str, username: str) -> str | None:
        Event().wait(30)
        return None


class Talkative(Memory):
    """A keyring that complains with the secret in its words."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringError(SECRET)


def store(backend: KeyringBackend, directory: Path, patience: float = 5.0) -> KeyringStore:
    return KeyringStore(backend, "the test's keyring", directory / "lock", patience=patience)


def test_secrets_of_a_server_are_one_item_of_ours(tmp_path: Path) -> None:
    backend = Memory()
    kept = store(backend, tmp_path)

    kept.set(GITHUB, "TOKEN", SECRET)
    kept.set(GITHUB, "OTHER", "another")

    assert list(backend.items) == [(SERVICE, GITHUB)]
    assert kept.get(GITHUB, "TOKEN") == SECRET
    assert kept.list(GITHUB) == ("OTHER", "TOKEN")
    assert kept.get("github#sha256:2", "TOKEN") is None


def test_the_last_secret_takes_the_item_with_it(tmp_path: Path) -> None:
    backend = Memory()
    kept = store(backend, tmp_path)
    kept.set(GITHUB, "TOKEN", SECRET)

    kept.delete(GITHUB, "TOKEN")
    kept.delete(GITHUB, "TOKEN")

    assert backend.items == {}


@pytest.mark.parametrize("moved", ["", "{", '{"secrets": {"TOKEN": "x"}}', "[]"])
def test_an_item_that_is_not_ours_is_not_used(tmp_path: Path, moved: str) -> None:
    backend = Memory()
    backend.items[SERVICE, GITHUB] = moved

    with pytest.raises(TamperedSecretError, match="not what Avow stored"):
        store(backend, tmp_path).get(GITHUB, "TOKEN")


def test_the_item_of_another_server_is_not_used(tmp_path: Path) -> None:
    backend = Memory()
    kept = store(backend, tmp_path)
    kept.set(GITHUB, "TOKEN", SECRET)
    backend.items[SERVICE, "evil#sha256:2"] = backend.items[SERVICE, GITHUB]

    with pytest.raises(TamperedSecretError):
        kept.get("evil#sha256:2", "TOKEN")


def test_nobody_waits_for_a_keyring_that_does_not_answer(tmp_path: Path) -> None:
    before = time.monotonic()

    with pytest.raises(StoreLockedError, match="did not answer"):
        store(Silent(), tmp_path, patience=0.2).get(GITHUB, "TOKEN")
    assert time.monotonic() - before < 5


def test_what_a_keyring_complains_about_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SecretStoreError, match="KeyringError") as caught:
        store(Talkative(), tmp_path).get(GITHUB, "TOKEN")

    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_without_a_session_bus_there_is_no_keyring_and_nothing_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)

    assert open_keyring(tmp_path / "lock") is None


def test_a_bus_that_accepts_and_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a secret service that waits for somebody to unlock it: the file is used instead."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("avow.system.secret_store.keyrings.PROBE_SECONDS", 0.5)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("AVOW_SECRET_STORE", raising=False)
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(tmp_path / "bus"))
        bus.listen()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path / 'bus'}")
        before = time.monotonic()

        assert open_store().describe().kind is StoreKind.FILE
        with pytest.raises(StoreLockedError, match="did not answer"):
            open_store(StoreKind.KEYRING)

    assert time.monotonic() - before < 20


def test_a_bus_that_is_gone_is_no_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path / 'nothing'}")

    assert open_keyring(tmp_path / "lock") is None
    with pytest.raises(SecretStoreError, match="no keyring"):
        open_store(StoreKind.KEYRING)


def test_the_environment_chooses_and_a_wrong_word_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AVOW_SECRET_STORE", "file")
    assert open_store().describe().kind is StoreKind.FILE

    monkeypatch.setenv("AVOW_SECRET_STORE", "plain")
    with pytest.raises(SecretStoreError, match="none of keyring, file"):
        open_store()


def test_it_says_plainly_what_it_is(tmp_path: Path) -> None:
    description = store(Memory(), tmp_path).describe()

    assert description.kind is StoreKind.KEYRING
    assert str(description).startswith("the test's keyring (")
