"""How often and in which words a server is asked: a look that was wanted and failed is a failure."""

import sys
from pathlib import Path

import pytest

from project import SERVERS, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def starts(project: Project, *, times: int) -> list[str]:
    """A server that can be started so often from now on."""
    (project.directory / "left").write_text(str(times))
    return [sys.executable, str(SERVERS / "starts.py")]


@pytest.mark.parametrize("arguments", [["inspect", "--thorough"], ["lock", "--yes"]])
def test_a_look_that_fails_is_a_failure(project: Project, arguments: list[str]) -> None:
    """The server does not start a second time: nobody knows what it would have shown."""
    ended = project.run(*arguments, "--", *starts(project, times=1))

    assert ended.returncode == 2, ended.stdout
    assert "error: " in ended.stderr
    assert not project.lockfile.exists()


def test_a_check_that_cannot_look_as_often_as_asked_has_failed(project: Project) -> None:
    project.lock("x", *starts(project, times=99))
    starts(project, times=1)

    thorough = project.document("check", "--thorough", code=2)

    assert thorough["servers"]["x"]["error"]["message"]
    starts(project, times=1)
    assert project.run("check").returncode == 0


def test_a_server_of_the_older_era_is_spoken_to_as_its_clients_do(project: Project) -> None:
    """No question before the handshake tells it that we are not one of them."""
    project.lock("x", *starts(project, times=99))
    log = project.directory / "log"
    log.unlink()

    assert project.run("check").returncode == 0

    assert log.read_text().splitlines()[0] == "initialize"
    assert "server/discover" not in log.read_text()
