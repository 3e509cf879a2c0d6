"""`avow protect` and `avow unprotect`, from the command line to the file."""

import json
from pathlib import Path

import pytest

from avow.cli.protect import command as protect_command
from avow.cli.unprotect import command as unprotect_command
from avow.errors import AvowError

SECRET = "hunter2-is-long"
SERVERS = """\
// mine
{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "server"],
      "env": {"TOKEN": "hunter2-is-long"},
    },
    "bare": {"command": "bare"},
    "remote": {"url": "https://example.com/mcp"},
  },
}
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/mcp.json").write_text(SERVERS)


def test_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (tmp_path / ".cursor/mcp.json").read_bytes()

    assert protect_command.main(["--yes"], standalone_mode=False) == 0
    told = capsys.readouterr()
    assert "protected in" in told.out
    assert "remote stays as it is" in told.out
    assert SECRET not in told.out + told.err
    assert (tmp_path / ".cursor/mcp.json").read_bytes() != before
    assert unprotect_command.main(["--yes", "--format", "json"], standalone_mode=False) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["files"][0]["unprotected"] == ["files", "bare"]
    assert (tmp_path / ".cursor/mcp.json").read_bytes() == before


def test_without_somebody_to_ask_nothing_is_written(tmp_path: Path) -> None:
    before = (tmp_path / ".cursor/mcp.json").read_bytes()

    with pytest.raises(AvowError, match="somebody has to agree"):
        protect_command.main([], standalone_mode=False)

    assert (tmp_path / ".cursor/mcp.json").read_bytes() == before


def test_a_file_that_cannot_be_read_is_reported_and_the_others_still_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".mcp.json").write_text("{")

    assert protect_command.main(["--yes", "--quiet"], standalone_mode=False) == 2

    assert "line 1, column 2" in capsys.readouterr().err
    assert "--lockfile" in (tmp_path / ".cursor/mcp.json").read_text()
