"""The whole story on the command line: look, approve, notice what changed, approve again or not."""

import json
import re
import sys
from pathlib import Path

import pytest

from changes import APPROVED, CRITICAL, SEEN
from project import SERVERS, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_from_the_first_look_to_the_drift(project: Project) -> None:
    """Inspect, lock, check, and check again when the server has quietly changed."""
    command = project.serve()

    inspected = project.run_outside("inspect", "--", *command)
    assert inspected.returncode == 0
    assert "files 1.0.0" in inspected.stdout
    assert re.search(r"(low|medium|high) +read_file ", inspected.stdout)

    locked = project.run_outside("lock", "--yes", "--name", "files", "--", *command)
    assert locked.returncode == 0
    assert list(json.loads(project.lockfile.read_text())["servers"]) == ["files"]

    unchanged = project.run_outside("check")
    assert (unchanged.returncode, unchanged.stdout.splitlines()[0]) == (0, "files  as approved")

    project.serve(CRITICAL["new optional argument"])
    drifted = project.run_outside("check")
    assert drifted.returncode == 1
    assert "critical  tool read_file  " in drifted.stdout
    assert "'command'" in drifted.stdout
    assert drifted.stdout.rstrip().endswith("avow lock files")
    assert drifted.stderr == ""


def test_locking_what_has_not_changed_writes_the_same_bytes(project: Project) -> None:
    """A pull request shows a lockfile only when something happened."""
    project.lock("files", *project.serve())
    before = project.lockfile.read_bytes()

    again = project.run("lock")

    assert again.returncode == 0
    assert project.lockfile.read_bytes() == before


def test_nobody_to_ask_means_nothing_is_written(project: Project) -> None:
    """A pipeline does not approve by accident; it is told how to."""
    refused = project.run("lock", "--", *project.serve())

    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert "read_file" in refused.stdout
    assert not project.lockfile.exists()


@pytest.mark.parametrize(("reply", "code"), [("n\n", 1), ("\n", 1), ("y\n", 0)])
def test_a_person_is_shown_the_drift_and_asked(project: Project, reply: str, code: int) -> None:
    """No is the default, and leaves the file as it was."""
    project.lock("files", *project.serve())
    before = project.lockfile.read_bytes()
    project.serve(CRITICAL["new tool"])

    ended, shown = project.answer(reply, "lock", "files")

    assert ended == code
    assert "run_shell" in shown
    assert "Approve files? [y/N]" in shown
    assert (project.lockfile.read_bytes() == before) is (code == 1)


def test_values_that_change_by_themselves_are_not_drift(project: Project) -> None:
    """The lock lists them, and a check a moment later is clean."""
    project.lock("clock", sys.executable, str(SERVERS / "clock.py"))

    volatile = json.loads(project.lockfile.read_text())["servers"]["clock"]["volatile"]

    assert volatile == ["/tools/runs/inputSchema/properties/from/default"]
    assert project.document("check")["servers"]["clock"]["drift"] == []
    assert project.run("lock").returncode == 0


def test_the_document_of_a_check(project: Project) -> None:
    """What a program reads: per server the digests, the drift and the highest severity."""
    project.lock("files", *project.serve())
    assert project.document("check")["servers"]["files"]["highest"] is None
    approved = json.loads(project.lockfile.read_text())["servers"]["files"]["digest"]

    project.serve(CRITICAL["new optional argument"])
    found = project.document("check", code=1)["servers"]["files"]

    assert found["digest"]["approved"] == approved != found["digest"]["observed"]
    assert found["highest"] == "critical"
    drift = next(drift for drift in found["drift"] if drift["type"] == "tool_changed")
    assert (drift["kind"], drift["name"], drift["severity"]) == ("tool", "read_file", "critical")
    assert drift["changes"][0]["path"] == "/inputSchema/properties/command"


def test_the_threshold_can_be_chosen(project: Project) -> None:
    """Wording passes by default, and stops a pipeline that wants to hear of everything."""
    project.lock("files", *project.serve())
    project.serve(SEEN["wording"])

    assert project.run("check").returncode == 0
    assert project.run("check", "--fail-on", "info").returncode == 1


def test_the_settings_decide_where_the_command_line_does_not(project: Project) -> None:
    """A rule with a reason and a date lets one difference pass, and says so."""
    project.lock("files", *project.serve())
    project.serve(CRITICAL["new tool"])
    rule = '[[allow]]\nname = "run_shell"\nreason = "we asked for it"\nexpires = 2999-01-01\n'
    (project.directory / "avow.toml").write_text(f'fail_on = "info"\n{rule}')

    found = project.document("check")["servers"]["files"]

    assert found["drift"] == []
    assert found["allowed"][0]["reason"] == "we asked for it"


def test_what_only_another_look_shows_is_drift_and_says_so(project: Project) -> None:
    """A server that answers a second question differently, or another client, is caught."""
    project.lock("files", *project.serve())
    project.serve(CRITICAL["second list"])

    found = project.document("check", code=1)["servers"]["files"]

    assert found["highest"] == "critical"
    assert all(drift["seen"] for drift in found["drift"])


def test_a_server_that_is_not_the_same_for_everybody(project: Project) -> None:
    """Lock says it loudly, inspect has it as data, and a thorough check finds it."""
    command = [sys.executable, str(SERVERS / "chameleon.py")]
    project.lock("chameleon", *command, "same")

    inspected = project.document("inspect", "--thorough", "--", *command, "different")
    checked = project.document("check", "--thorough", "chameleon", "--", *command, "different", code=1)
    locked = project.run("lock", "--yes", "--name", "other", "--", *command, "different")

    assert [look["seen"] for look in inspected["variance"]] == ["by a client named cursor-vscode"]
    drift = checked["servers"]["chameleon"]["drift"]
    assert {one["seen"] for one in drift} == {"by a client named cursor-vscode"}
    assert "It does not always show the same  by a client named cursor-vscode" in locked.stdout


def test_a_malformed_answer_is_critical_drift_for_check_and_an_error_for_the_others(project: Project) -> None:
    """It is never hashed: there is no observed digest."""
    project.lock("files", *project.serve())
    command = project.serve(CRITICAL["duplicate key"])

    found = project.document("check", code=1)["servers"]["files"]

    assert found["digest"]["observed"] is None
    assert [drift["type"] for drift in found["drift"]] == ["signature_malformed"]
    assert project.run("inspect", "--", *command).returncode == 2
    assert project.run("lock", "--yes", "--", *command).returncode == 2


def test_quiet_says_nothing_when_all_is_well(project: Project) -> None:
    """And still reports drift."""
    project.lock("files", *project.serve())
    assert project.run("check", "--quiet").stdout == ""

    project.serve(CRITICAL["new tool"])
    assert "run_shell" in project.run("check", "--quiet").stdout


def test_the_surface_that_was_approved_is_the_sample_s(project: Project) -> None:
    """A saved snapshot can stand for its server everywhere."""
    saved = project.directory / "saved.json"

    assert project.run("inspect", "--save", "saved.json", "--", *project.serve()).returncode == 0
    document = json.loads(saved.read_text())

    assert {tool["name"] for tool in document["tools"]} == {tool["name"] for tool in APPROVED["tools"]}
    assert project.document("inspect", "saved.json") == document
