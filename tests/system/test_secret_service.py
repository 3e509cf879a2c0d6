"""The system's keyring over a real bus: open, locked, and absent."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from avow.system.secret_store import SecretStoreError, StoreKind, StoreLockedError, open_store

SERVICE = Path(__file__).parent / "servers" / "secret_service.py"
GITHUB = "github#sha256:1"
SECRET = "ghp_not-a-real-token-4711"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("dbus-daemon") is None, reason="there is no session bus to start"
)


@pytest.fixture(autouse=True)
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session bus of our own, and a home of our own."""
    monkeypatch.delenv("AVOW_SECRET_STORE", raising=False)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    command = [
        "dbus-daemon",
        "--session",
        "--nofork",
        "--print-address=1",
        f"--address=unix:path={tmp_path}/bus",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        assert daemon.stdout
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.stdout.readline().strip())
        try:
            yield
        finally:
            daemon.terminate()


@contextmanager
def secret_service(*arguments: str) -> Iterator[list[str]]:
    """A Secret Service on that bus; afterwards, the methods that were called."""
    called: list[str] = []
    with subprocess.Popen(
        [sys.executable, str(SERVICE), *arguments], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        try:
            yield called
        finally:
            process.terminate()
            called += process.stdout.read().split()


def test_secrets_are_kept_by_the_service(tmp_path: Path) -> None:
    with secret_service():
        store = open_store()
        store.set(GITHUB, "TOKEN", SECRET)
        store.set(GITHUB, "OTHER", "another")
        again = open_store(StoreKind.KEYRING)

        assert store.describe().kind is StoreKind.KEYRING
        assert again.get(GITHUB, "TOKEN") == SECRET
        assert again.list(GITHUB) == ("OTHER", "TOKEN")
        again.delete(GITHUB, "TOKEN")
        again.delete(GITHUB, "OTHER")
        assert again.get(GITHUB, "TOKEN") is None

    assert SECRET.encode() not in b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_nobody_is_asked_to_unlock_a_keyring() -> None:
    """What is new goes to the file; what is in the keyring waits for its owner, who is told."""
    before = time.monotonic()
    with secret_service("locked") as called:
        assert open_store().describe().kind is StoreKind.FILE
        with pytest.raises(StoreLockedError, match="the system keyring is locked"):
            open_store(StoreKind.KEYRING)

    assert time.monotonic() - before < 20
    assert "Unlock" not in called
    assert "Prompt" not in called


def test_a_bus_without_a_keyring_has_none() -> None:
    assert open_store().describe().kind is StoreKind.FILE
    with pytest.raises(SecretStoreError, match="no keyring"):
        open_store(StoreKind.KEYRING)
