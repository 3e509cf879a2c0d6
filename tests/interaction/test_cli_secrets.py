"""What a server is given shows in no report and in no file, in whatever format and however it came."""

import json
import sys
from pathlib import Path

import pytest

from changes import APPROVED
from project import SERVERS, Project

SECRET = "hunter2SECRETxyz99"
TELLTALE = [sys.executable, str(SERVERS / "telltale.py"), "tools"]
FORMATS = ("text", "json", "markdown")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_no_value_that_was_given_is_written(project: Project) -> None:
    """Whatever its name: nobody has to call a secret by its name."""
    locked = project.run("lock", "--yes", "-e", "MYTOK", "--", *TELLTALE, MYTOK=SECRET)
    saved = project.run("inspect", "--save", "saved.json", "-e", "MYTOK", "--", *TELLTALE, MYTOK=SECRET)

    assert (locked.returncode, saved.returncode) == (2, 2)
    assert "the value of MYTOK" in locked.stderr
    assert not project.lockfile.exists()
    assert not (project.directory / "saved.json").exists()
    assert SECRET not in locked.stdout + locked.stderr + saved.stdout + saved.stderr


@pytest.mark.parametrize("format_name", [*FORMATS, "sarif"])
@pytest.mark.parametrize("name", ["TOKEN", "MYTOK"])
def test_no_report_repeats_what_the_server_repeats(project: Project, name: str, format_name: str) -> None:
    """Approved with a harmless value; with the real one the server shows it to everybody."""
    assert project.run("lock", "--yes", "--name", "x", "-e", f"{name}=1", "--", *TELLTALE).returncode == 0

    given = project.run("check", "--format", format_name, "-e", f"{name}={SECRET}")
    from_environment = project.run("check", "--format", format_name, **{name: SECRET})

    for ended in (given, from_environment):
        assert SECRET not in ended.stdout + ended.stderr
        assert "the description" in ended.stdout
        if format_name != "sarif":
            assert f"[{name}]" in ended.stdout


@pytest.mark.parametrize("format_name", FORMATS)
def test_nor_does_a_look_or_a_comparison(project: Project, format_name: str) -> None:
    (project.directory / "other.json").write_text(
        project.run("inspect", "--format", "json", "-e", "MYTOK=1", "--", *TELLTALE).stdout
    )
    command = ("--format", format_name, "-e", f"MYTOK={SECRET}", "--", *TELLTALE)

    inspected = project.run("inspect", *command)
    compared = project.run("diff", "other.json", *command)

    for ended in (inspected, compared):
        assert ended.returncode == 0, ended.stderr
        assert SECRET not in ended.stdout + ended.stderr
    assert "[MYTOK]" in compared.stdout


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_credential_on_the_command_line_of_a_server_is_not_shown(
    project: Project, format_name: str
) -> None:
    """It is used to start the server, and refused where it would be written."""
    plain = project.serve(APPROVED)
    (project.directory / "plain.json").write_text(
        project.run("inspect", "--format", "json", "--", *plain).stdout
    )
    command = ("--", *plain, "--auth-token", SECRET)

    inspected = project.run("inspect", "--format", format_name, *command)
    compared = project.run("diff", "plain.json", "--format", format_name, *command)

    for ended in (inspected, compared):
        assert ended.returncode == 0, ended.stderr
        assert SECRET not in ended.stdout + ended.stderr
    assert "***" in inspected.stdout
    if format_name == "json":
        assert json.loads(inspected.stdout)["target"]["args"][-2:] == ["--auth-token", "***"]
    assert project.run("inspect", "--save", "x.json", *command).returncode == 2
