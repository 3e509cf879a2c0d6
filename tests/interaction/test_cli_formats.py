"""Comparing files and servers, and the formats that other tools read."""

import json
from pathlib import Path

import jsonschema
import pytest

from changes import APPROVED, CRITICAL, SEEN
from project import Project

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json").read_text())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def save(project: Project, name: str, surface: object) -> None:
    assert isinstance(surface, dict)
    command = project.serve(surface)
    assert project.run("inspect", "--save", name, "--", *command).returncode == 0


def test_two_snapshots(project: Project) -> None:
    """Offline, from files alone."""
    save(project, "old.json", APPROVED)
    save(project, "new.json", CRITICAL["new tool"])

    same = project.document("diff", "old.json", "old.json")
    found = project.document("diff", "old.json", "new.json", code=1)

    assert (same["drift"], same["highest"]) == ([], None)
    assert project.run("diff", "old.json", "old.json").stdout == "old.json -> old.json  no drift\n"
    assert [(drift["type"], drift["name"]) for drift in found["drift"]] == [("tool_added", "run_shell")]
    assert found["digest"]["approved"] != found["digest"]["observed"]
    sarif = json.loads(project.run("diff", "old.json", "new.json", "--format", "sarif").stdout)
    place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "old.json"}, "region": {"startLine": 1}}


def test_a_snapshot_and_a_server(project: Project) -> None:
    """The server is looked at now."""
    save(project, "old.json", APPROVED)

    assert project.run("diff", "old.json", "--", *project.serve()).returncode == 0
    ended = project.run("diff", "old.json", "--", *project.serve(CRITICAL["new tool"]))
    assert ended.returncode == 1
    assert "run_shell" in ended.stdout


def test_two_lockfiles(project: Project) -> None:
    """Server by server; one that only one of them has counts with all that it brings or takes away."""
    project.lock("files", *project.serve())
    project.lock("gone", *project.serve(name="gone"))
    project.lockfile.rename(project.directory / "old.lock")
    project.lock("files", *project.serve(SEEN["wording"]))
    project.lock("new", *project.serve(name="new"))

    servers = project.document("diff", "old.lock", "avow.lock", code=1)["servers"]

    assert servers["files"]["highest"] == "safe"
    assert servers["new"]["digest"]["approved"] is None
    assert servers["new"]["highest"] == "critical"
    assert servers["gone"]["digest"]["observed"] is None
    assert {drift["type"] for drift in servers["gone"]["drift"]} >= {"tool_removed", "prompt_removed"}


def test_a_lockfile_and_a_server(project: Project) -> None:
    """The entry with the same command is meant."""
    project.lock("files", *project.serve())
    project.lock("other", *project.serve(name="other"))

    assert project.run("diff", "avow.lock", "--", *project.serve()).returncode == 0
    assert project.run("diff", "avow.lock", "--", *project.serve(CRITICAL["new tool"])).returncode == 1


def test_sarif_is_valid_and_points_into_the_lockfile(project: Project) -> None:
    """For code scanning: the line is the tool's."""
    project.lock("files", *project.serve())
    project.serve(CRITICAL["new optional argument"])

    ended = project.run("check", "--format", "sarif")

    document = json.loads(ended.stdout)
    jsonschema.Draft4Validator(SCHEMA).validate(document)
    result = document["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    line = project.lockfile.read_text().splitlines()[place["region"]["startLine"] - 1]
    assert ended.returncode == 1
    assert place["artifactLocation"]["uri"] == "avow.lock"
    assert line.strip().rstrip(",") == '"name": "read_file"'


def test_markdown_for_a_pull_request(project: Project) -> None:
    """Both kinds of report have it."""
    command = project.serve()
    project.lock("files", *command)
    project.serve(SEEN["wording"])

    drift = project.run("check", "--format", "markdown").stdout
    snapshot = project.run("inspect", "--format", "markdown", "--", *command).stdout

    assert drift.startswith("### files: 1 safe\n")
    assert "+ " in drift
    assert "| medium | `read_file` |" in snapshot


def test_mcptrust_there_and_back(project: Project) -> None:
    """What is exported can be checked against, and taken over again."""
    command = project.serve()
    project.lock("files", *command)

    exported = project.run("export", "files", "--format", "mcptrust", "--output", "mcp-lock.json")
    assert exported.returncode == 0
    assert "note: " in exported.stderr
    assert json.loads((project.directory / "mcp-lock.json").read_text())["lockFileVersion"] == "3.0"

    clean = project.run("check", "--lockfile", "mcp-lock.json", "--", *command)
    assert clean.returncode == 0, clean.stdout
    assert "not compared" in clean.stdout

    project.lockfile.unlink()
    taken = project.run("lock", "--yes", "--import", "mcp-lock.json", "--", *command)
    assert taken.returncode == 0, taken.stderr
    assert project.run("check").returncode == 0

    project.serve(CRITICAL["new tool"])
    assert project.run("check", "--lockfile", "mcp-lock.json", "--", *command).returncode == 1


def test_an_mcptrust_lockfile_without_a_command_needs_one(project: Project) -> None:
    """Version 3 does not say how to start the server, so that is a failure to look."""
    project.lock("files", *project.serve())
    project.run("export", "--format", "mcptrust", "--output", "mcp-lock.json")

    error = project.document("check", "--lockfile", "mcp-lock.json", code=2)["servers"]["files"]["error"]

    assert "-- COMMAND" in error["hint"]


def test_a_snapshot_can_be_exported(project: Project) -> None:
    """The one entry there is needs no name."""
    project.lock("files", *project.serve())

    assert project.run("export").stdout == project.run("export", "files", "--format", "json").stdout
    assert json.loads(project.run("export").stdout)["server"]["name"] == "files"


def test_the_document_of_a_lock(project: Project) -> None:
    """What became of each server, and why one could not be locked."""
    command = project.serve()
    lock = ("lock", "--yes", "--name", "files", "--", *command)

    assert project.document(*lock)["servers"]["files"]["status"] == "added"
    assert project.document("lock", "--yes")["servers"]["files"]["status"] == "unchanged"
    project.serve(CRITICAL["new tool"])
    refused = project.document("lock", code=2)
    updated = project.document("lock", "--yes")["servers"]["files"]
    (project.directory / "files" / "server.py").unlink()
    failed = project.document("lock", "--yes", code=2)["servers"]["files"]

    assert "--yes" in refused["error"]["hint"]
    assert (updated["status"], updated["highest"]) == ("updated", "critical")
    assert failed["error"]["message"]


def test_the_same_name_for_another_command_is_shown(project: Project) -> None:
    """Old and new command stand below each other."""
    project.lock("files", *project.serve())

    moved = project.run("lock", "--yes", "--name", "files", "--", *project.serve(name="other"))

    assert moved.returncode == 0
    assert [row[:4] for row in moved.stdout.splitlines() if "server.py" in row] == ["  - ", "  + "]


def test_an_older_mcptrust_lockfile_knows_its_command(project: Project) -> None:
    """Version 2 can be checked and taken over without saying it again."""
    command = project.serve()
    project.lock("files", *command)
    project.run("export", "--format", "mcptrust", "--output", "v3.json")
    tools = json.loads((project.directory / "v3.json").read_text())["tools"]
    old = {"version": "2.0", "server_command": " ".join(command), "tools": tools}
    (project.directory / "mcp-lock.json").write_text(json.dumps(old))
    project.lockfile.unlink()

    assert project.run("check", "--lockfile", "mcp-lock.json").returncode == 0
    taken = project.run("lock", "--yes", "--import", "mcp-lock.json")

    assert taken.returncode == 0, taken.stderr
    assert project.run("check").returncode == 0
