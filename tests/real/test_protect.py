"""`avow protect` on real configurations: what it writes starts the real server, and goes away to the byte."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from project import Project
from real.accounts import account, differences
from real.packages import Packages
from real.python_client import converse
from real.talks import Talk, memory

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.environ.get("AVOW_REAL") != "1", reason="AVOW_REAL is not 1"),
]

Json = dict[str, Any]


def entry(talk: Talk) -> Json:
    return {"command": talk.command[0], "args": talk.command[1:], "env": talk.environment}


def project_file(talk: Talk, directory: Path) -> tuple[str, str]:
    """A project's `.mcp.json`, indented with tabs and without a last newline."""
    return ".mcp.json", json.dumps({"mcpServers": {"memory": entry(talk)}}, indent="\t")


def claude_code_file(talk: Talk, directory: Path) -> tuple[str, str]:
    """Claude Code keeps servers among many other things, for everywhere and for each project."""
    document = {
        "numStartups": 7,
        "mcpServers": {"memory": {"type": "stdio", **entry(talk)}},
        "projects": {str(directory): {"allowedTools": [], "mcpServers": {}, "history": ["é", "\u2028"]}},
        "oauthAccount": {"emailAddress": "ada@example.org"},
    }
    return ".claude.json", json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def talk_to(server: Json, talk: Talk, directory: Path) -> Json:
    """What the SDK's client hears from what a configuration says."""
    talk.reset()
    start = {**{name: server[name] for name in ("command", "args", "env")}, "cwd": str(directory)}
    plan = {"mode": "auto", "steps": talk.steps, "roots": (), "elicited": {}, "start": start}
    return account(converse(plan))


@pytest.mark.parametrize("write", [project_file, claude_code_file])
def test_a_protected_server_is_the_same_server_and_unprotecting_restores_every_byte(
    write: Any, packages: Packages, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    talk = memory(packages, tmp_path)
    name, text = write(talk, tmp_path)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    before = path.read_bytes()
    locked = project.run_outside("lock", "--yes", "--config", name)
    assert locked.returncode == 0, locked.stderr
    direct = talk_to(entry(talk), talk, tmp_path)

    protected = project.run_outside("protect", "--yes")
    held = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["memory"]
    through = talk_to(held, talk, tmp_path)
    unprotected = project.run_outside("unprotect", "--yes")

    assert protected.returncode == unprotected.returncode == 0, protected.stderr + unprotected.stderr
    assert "run" in held["args"]
    assert held["env"] == talk.environment
    assert not differences(through, direct)
    assert path.read_bytes() == before
