"""A home of its own for each test, with an encrypted file as the store."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of this machine plays a part."""
    directory = tmp_path / "home"
    directory.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "AVOW_PASSPHRASE", "AVOW_PASSPHRASE_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("AVOW_SECRET_STORE", "file")
    monkeypatch.chdir(directory)
    return directory
