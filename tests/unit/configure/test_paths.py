"""Completing paths, and looking at them."""

from pathlib import Path

import pytest

from avow.configure.paths import MOST, completions, whole_path
from avow.core.configuration.model import PathKind
from avow.system.configuration.paths import look


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "alpha").mkdir()
    (tmp_path / "also a file").write_text("", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_beginning_is_completed_here_there_and_at_home(place: Path) -> None:
    assert completions("al") == ["alpha/", "also a file"]
    assert completions(f"{place}/al") == [f"{place}/alpha/", f"{place}/also a file"]
    assert completions("~/alp") == ["~/alpha/"]
    assert completions("~") == ["~/"]


def test_only_directories_where_a_directory_is_wanted(place: Path) -> None:
    assert completions("", PathKind.DIRECTORY) == ["alpha/"]
    assert completions(".h", PathKind.DIRECTORY) == [".hidden/"]


def test_there_is_nothing_to_complete_where_nothing_is(place: Path) -> None:
    assert completions("nowhere/x") == []
    assert completions("~somebody") == []
    assert completions("a\0b/") == []


def test_a_long_directory_is_cut(place: Path) -> None:
    for number in range(MOST + 10):
        (place / f"z{number}").touch()

    assert len(completions("z")) == MOST


def test_looking_tells_files_directories_and_nothing_apart(place: Path) -> None:
    assert look(str(place)) is PathKind.DIRECTORY
    assert look("also a file") is PathKind.FILE
    assert look("/dev/null") is PathKind.ANY
    assert look("nowhere") is None
    assert look("a\0b") is None


def test_a_home_of_nobody_stays_as_it_was_typed(place: Path) -> None:
    assert whole_path("~nobody-of-this-name/x") == "~nobody-of-this-name/x"
