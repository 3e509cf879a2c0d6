"""The directories are those that everybody expects."""

from pathlib import Path

import platformdirs
import pytest

from avow.system.directories import config_directory, data_directory


@pytest.mark.parametrize("given", ["", " ", "/somewhere/else"])
def test_they_are_the_platform_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str) -> None:
    """Also where we spare loading the library that knows."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, given)

    assert config_directory() == platformdirs.user_config_path("avow")
    assert data_directory() == platformdirs.user_data_path("avow")


def test_they_are_the_platform_s_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "another")

    assert config_directory() == platformdirs.user_config_path("avow")
    assert data_directory() == platformdirs.user_data_path("avow")
