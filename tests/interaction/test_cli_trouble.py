"""When things go wrong: each failure is explained, has exit code 2, and nothing is lost or leaked."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from changes import CRITICAL
from project import SERVERS, Project

TOKEN = "tok-4f9a8b7c6d5e"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_server_that_does_not_start_does_not_hide_the_others(project: Project) -> None:
    """The others are reported, and the exit code says that not everything was looked at."""
    project.lock("files", *project.serve())
    project.lock("notes", *project.serve(name="notes"))
    (project.directory / "notes" / "server.py").write_text("raise SystemExit('no database')")

    found = project.document("check", code=2)["servers"]

    assert found["files"]["drift"] == []
    assert "no database" in found["notes"]["error"]["message"]


def test_one_of_many_that_cannot_be_locked(project: Project) -> None:
    """The configuration has three servers: two are locked, the third is explained."""
    servers: dict[str, dict[str, object]] = {
        name: {"command": command[0], "args": command[1:]}
        for name, command in {
            "files": project.serve(),
            "notes": project.serve(name="notes"),
            "broken": ["no-such-program-anywhere"],
        }.items()
    }
    servers["off"] = {"command": "whatever", "disabled": True}
    (project.directory / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    ended = project.run("lock", "--yes", "--config", "mcp.json")

    assert ended.returncode == 2
    assert "error: broken: " in ended.stderr
    assert "note: off: it is disabled" in ended.stderr
    assert "error: off" not in ended.stderr
    assert sorted(json.loads(project.lockfile.read_text())["servers"]) == ["files", "notes"]


def test_a_name_that_is_taken_is_not_overwritten(project: Project) -> None:
    """Another server that would get the same name needs one of its own."""
    project.lock("server", *project.serve())
    (project.directory / "server.py").write_text((project.directory / "files" / "server.py").read_text())
    (project.directory / "surface.json").write_text(
        (project.directory / "files" / "surface.json").read_text()
    )
    before = project.lockfile.read_bytes()

    ended = project.run("lock", "--yes", "--", sys.executable, "./server.py")

    # `server.py` says nothing about the server, so it is called what it calls itself.
    assert ended.returncode == 0
    ended = project.run("lock", "--yes", "--", sys.executable, "-u", "./server.py")
    assert ended.returncode == 2
    assert "--name" in ended.stderr
    assert project.lockfile.read_bytes() != before


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--no-such-option"],
        ["check", "--fail-on", "terrible"],
        ["check"],
        ["check", "--lockfile", "/nowhere/avow.lock"],
        ["inspect"],
        ["inspect", "nobody"],
        ["inspect", "one", "two"],
        ["inspect", "--"],
        ["inspect", "missing.json"],
        ["inspect", "-e", "NOT_SET_ANYWHERE", "--", "true"],
        ["inspect", "--timeout", "0", "--", "true"],
        ["diff", "one"],
        ["lock"],
        ["export", "nobody"],
    ],
)
def test_what_cannot_be_done_is_an_error_in_both_tongues(project: Project, arguments: list[str]) -> None:
    """A sentence for people, a document for programs, exit code 2 for both."""
    place = arguments.index("--") if "--" in arguments else len(arguments)
    spoken = project.run(*arguments)
    written = project.run(*arguments[:place], "--format", "json", *arguments[place:])

    assert (spoken.returncode, spoken.stdout) == (2, "")
    assert spoken.stderr.startswith("error: ")
    assert (written.returncode, written.stderr) == (2, "")
    assert json.loads(written.stdout)["error"]["message"]


def test_an_edited_lockfile_is_refused_by_every_command(project: Project) -> None:
    """Somebody wrote a kinder description into it, so that the server's seems approved."""
    project.lock("files", *project.serve())
    edited = project.lockfile.read_text().replace("Read a file of the project", "Read any file at all", 1)
    project.lockfile.write_text(edited)

    for arguments in (["check"], ["lock", "--yes"], ["export", "files"], ["inspect", "files"]):
        ended = project.run(*arguments)
        assert ended.returncode == 2, arguments
        assert "digest" in ended.stderr
    assert project.lockfile.read_text() == edited


def test_a_value_given_to_a_server_shows_nowhere(project: Project) -> None:
    """Not even when the server itself repeats it."""
    command = [sys.executable, str(SERVERS / "telltale.py"), "stderr"]

    ended = project.run("inspect", "-e", f"TOKEN={TOKEN}", "--", *command)

    assert ended.returncode == 2
    assert "cannot log in with" in ended.stderr
    assert TOKEN not in ended.stderr + ended.stdout


def test_a_secret_is_not_written_to_the_lockfile(project: Project) -> None:
    """The server writes its token into a description: locking it is refused, naming the variable."""
    command = [sys.executable, str(SERVERS / "telltale.py"), "declare"]

    ended = project.run("lock", "--yes", "-e", "TOKEN", "--", *command, TOKEN=TOKEN)

    saved = project.run("inspect", "--save", "saved.json", "-e", "TOKEN", "--", *command, TOKEN=TOKEN)

    assert (ended.returncode, saved.returncode) == (2, 2)
    assert "TOKEN" in ended.stderr
    assert TOKEN not in ended.stderr + ended.stdout + saved.stderr + saved.stdout
    assert not project.lockfile.exists()
    assert not (project.directory / "saved.json").exists()


def test_the_lockfile_has_names_of_variables_and_check_asks_for_them(project: Project) -> None:
    """Without the variable it is not the server that was approved: missing configuration is an answer."""
    command = project.serve()
    assert project.run("lock", "--yes", "--name", "files", "-e", "TOKEN=1", "--", *command).returncode == 0

    assert json.loads(project.lockfile.read_text())["servers"]["files"]["target"]["env"] == ["TOKEN"]
    missing = project.document("check", code=1)["servers"]["files"]["error"]
    assert "TOKEN" in missing["message"]
    assert project.run("check", "-e", "TOKEN=1").returncode == 0
    assert project.run("check", TOKEN="1").returncode == 0


def test_a_reader_who_has_gone_does_not_change_the_answer(project: Project) -> None:
    """`avow check | true` still says that something drifted, and does not complain."""
    project.lock("files", *project.serve())
    project.serve(CRITICAL["new tool"])

    ours, theirs = os.pipe()
    os.close(ours)
    ended = subprocess.run(
        [sys.executable, "-m", "avow", "check"],
        cwd=project.directory,
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(theirs)

    assert (ended.returncode, ended.stderr) == (1, b"")


def test_a_terminal_that_knows_no_unicode_still_gets_the_report(project: Project) -> None:
    """What it cannot show is escaped."""
    ended = project.run_outside("inspect", "--", *project.serve(), PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.isascii()


def test_ctrl_c_ends_the_servers_too(project: Project) -> None:
    """Several are being started when somebody loses patience: quiet, 130, nothing left running."""
    for name in ("one", "two"):
        project.lock(name, *project.serve(name=name))
        (project.directory / name / "server.py").write_text(
            "import os, pathlib, time\n"
            "pathlib.Path(__file__).with_name('pid').write_text(str(os.getpid()))\n"
            "time.sleep(60)\n"
        )
    process = subprocess.Popen(
        [sys.executable, "-m", "avow", "check"],
        cwd=project.directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    pids = [project.directory / name / "pid" for name in ("one", "two")]
    deadline = time.monotonic() + 20
    while not all(path.exists() and path.read_text() for path in pids):
        assert time.monotonic() < deadline, "the servers were not started"
        time.sleep(0.02)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)

    assert (process.returncode, out, err.strip()) == (130, b"", b"")
    for path in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.read_text()), 0)
