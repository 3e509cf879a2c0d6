"""Auditing somebody's code starts nothing by mistake, and obeys nothing of it without a word."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from avow.cli.main import run
from avow.core.capability import Capability, Kind, Signature
from avow.core.lockfile import Entry, Lockfile
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.system.lockfiles import write_lockfile

CASES = Path(__file__).parents[1] / "audit_cases"
BAD = CASES / "AVW030" / "bad_get.py"
GOOD = CASES / "AVW041" / "good_guarded.py"


@pytest.fixture(autouse=True)
def cloned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of somebody's repository, in which we are."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "clone"
    root.mkdir()
    (root / ".git").mkdir()
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def started(tmp_path: Path) -> Path:
    """What is there once the locked server was started."""
    return tmp_path / "started"


def lock(started: Path, name: str) -> None:
    """A lockfile of the repository, by which a name starts something."""
    target = StdioTarget("touch", (str(started),))
    echo = Capability.read(Kind.TOOL, {"name": "echo"})
    seen = Snapshot(target, {"name": "demo"}, "2025-11-25", Era.LEGACY, {}, Signature.of([echo]))
    write_lockfile(Path("avow.lock"), Lockfile({name: Entry(seen)}))


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = run(["audit", "--format", "json", *arguments])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["./src", "a/b", "lib/", "src", "SRC", "servr"])
def test_a_directory_that_is_not_there_starts_nothing(
    name: str, started: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock(started, name)

    assert run(["audit", "--timeout", "5", name]) == 2

    assert not started.exists()
    assert "no directory" in capsys.readouterr().err


def test_a_name_almost_like_a_directory_starts_nothing(
    cloned: Path, started: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cloned / "weather").mkdir()
    lock(started, "waether")

    assert run(["audit", "--timeout", "5", "waether"]) == 2

    assert not started.exists()
    assert "did you mean the directory weather?" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("notes",), ("--lockfile", "avow.lock", "src")])
def test_a_name_that_is_meant_is_probed(words: tuple[str, ...], started: Path) -> None:
    """A name that is no directory's, or one of a lockfile that was named."""
    lock(started, words[-1])

    assert run(["audit", "--timeout", "5", *words]) == 2
    assert started.exists()


def test_settings_of_the_tree_are_told_with_what_they_drop(
    cloned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(BAD, cloned)
    (cloned / "avow.toml").write_text('[audit]\nselect = ["AVW042"]\nfail_on = "high"\n')

    code, told = document(capsys, "--source-only", ".")
    notes = "\n".join(told["notes"])

    assert code == 0
    assert "avow.toml selects AVW042 only; left out by that: " in notes
    assert "AVW030" in notes
    assert "avow.toml sets fail_on to high" in notes
    assert told["scorecard"]["downgrade"] == "fail"


def test_settings_are_told_in_sarif_too(cloned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(BAD, cloned)
    (cloned / "pyproject.toml").write_text('[tool.avow.audit]\nfail_on = "high"\n')

    run(["audit", "--format", "sarif", "."])
    [done] = json.loads(capsys.readouterr().out)["runs"][0]["invocations"]

    told = [note["message"]["text"] for note in done["toolExecutionNotifications"]]
    assert any("pyproject.toml sets fail_on to high" in text for text in told)


def test_without_settings_nothing_is_dropped(cloned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(BAD, cloned)
    (cloned / "avow.toml").write_text('[audit]\nselect = ["AVW042"]\n')

    code, told = document(capsys, "--no-settings", ".")

    assert code == 1
    assert "AVW030" in {finding["rule"] for finding in told["findings"]}
    assert not any("avow.toml" in note for note in told["notes"])


def test_the_command_line_has_the_last_word(cloned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(BAD, cloned)
    (cloned / "avow.toml").write_text('[audit]\nselect = ["AVW042"]\nfail_on = "high"\n')

    _, told = document(capsys, "--select", "AVW030", "--fail-on", "low", ".")

    assert {finding["rule"] for finding in told["findings"]} == {"AVW030"}
    assert not any("avow.toml" in note for note in told["notes"])


def test_nothing_is_accepted_on_the_word_of_the_code(
    cloned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither by a remark nor by a table; what the command line ignores is ignored."""
    remark = "# avow: ignore[AVW041] fine\n"
    server = f'from mcp.server.fastmcp import FastMCP\n{remark}mcp = FastMCP("a")\n'
    (cloned / "server.py").write_text(server)
    (cloned / "other.py").write_text(server.replace(remark, ""))
    (cloned / "avow.toml").write_text(
        '[[audit.ignore]]\nrule = "AVW041"\npath = "other.py"\nreason = "fine"\n'
    )

    _, before = document(capsys, ".")
    _, after = document(capsys, "--no-ignore", ".")
    _, asked = document(capsys, "--no-ignore", "--ignore", "AVW041", ".")

    assert (len(before["findings"]), len(before["ignored"])) == (0, 2)
    assert "avow.toml accepts 1 of what was found; --no-settings reads without it" in before["notes"]
    assert (len(after["findings"]), len(after["ignored"])) == (2, 0)
    assert (len(asked["findings"]), len(asked["ignored"])) == (0, 2)


def test_a_server_that_says_nothing_is_no_pass_beside_good_source(
    cloned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(GOOD, cloned)
    silent = "import sys; sys.stdin.read()"

    code, told = document(capsys, "--timeout", "3", ".", "--", sys.executable, "-c", silent)

    assert code == 2
    assert set(told["scorecard"].values()) == {"unknown"}
    assert any(note.startswith("nothing could be told of ") for note in told["notes"])


@pytest.mark.parametrize("badge", ["b.svg", "pictures/b.svg"])
def test_a_badge_is_not_written_through_a_link_out_of_the_tree(
    badge: str, cloned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "away").mkdir()
    precious = tmp_path / "away" / "b.svg"
    precious.write_text("mine")
    (cloned / "b.svg").symlink_to(precious)
    (cloned / "pictures").symlink_to(precious.parent)
    shutil.copy(GOOD, cloned)

    assert run(["audit", ".", "--badge", badge]) == 2

    assert precious.read_text() == "mine"
    assert "symbolic link" in capsys.readouterr().err


def test_a_badge_goes_where_it_is_asked_to(cloned: Path, tmp_path: Path) -> None:
    shutil.copy(GOOD, cloned)
    (cloned / "here.svg").symlink_to("there.svg")

    for badge in ("here.svg", str(tmp_path / "b.svg")):
        assert run(["audit", ".", "--badge", badge]) == 0

    assert (cloned / "there.svg").read_text() == (tmp_path / "b.svg").read_text()
