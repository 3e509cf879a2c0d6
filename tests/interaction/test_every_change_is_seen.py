"""Whatever a server changes is seen and rated, and what is no change is not called one."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from changes import APPROVED, CRITICAL, HARMLESS, NOTATION, SEEN
from project import Project

EVERYTHING = {**HARMLESS, **NOTATION, **CRITICAL, **SEEN}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """One approved server, and a release of it for each change, all checked in one run.

    Each release gets a copy of the approved entry that starts it instead.
    """
    project = Project(tmp_path_factory.mktemp("changes"))
    project.lock("approved", *project.serve(APPROVED))
    lockfile = json.loads(project.lockfile.read_text(encoding="utf-8"))
    entry = lockfile["servers"].pop("approved")
    for number, (change, surface) in enumerate(EVERYTHING.items()):
        command, *arguments = project.serve(surface, f"release-{number}")
        target = {**entry["target"], "command": command, "args": arguments}
        lockfile["servers"][change] = {**entry, "target": target}
    project.lockfile.write_text(json.dumps(lockfile), encoding="utf-8")
    ended = project.run("check", "--format", "json", "--fail-on", "critical")
    assert ended.returncode == 1, ended.stderr
    servers: Mapping[str, Any] = json.loads(ended.stdout)["servers"]
    return servers


@pytest.mark.parametrize("change", HARMLESS)
def test_what_is_no_change_is_no_drift(reports: Mapping[str, Any], change: str) -> None:
    assert reports[change]["drift"] == []
    assert reports[change]["highest"] is None
    assert reports[change]["digest"]["approved"] == reports[change]["digest"]["observed"]


@pytest.mark.parametrize("change", NOTATION)
def test_another_notation_is_seen_and_rated_safe(reports: Mapping[str, Any], change: str) -> None:
    assert reports[change]["highest"] == "safe"


@pytest.mark.parametrize("change", CRITICAL)
def test_what_a_person_has_to_look_at_is_critical(reports: Mapping[str, Any], change: str) -> None:
    assert reports[change]["highest"] == "critical"


@pytest.mark.parametrize("change", SEEN)
def test_every_other_change_is_seen_and_not_called_critical(reports: Mapping[str, Any], change: str) -> None:
    assert reports[change]["drift"]
    assert reports[change]["highest"] in ("info", "safe", "moderate")
