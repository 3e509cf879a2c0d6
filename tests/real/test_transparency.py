"""Real clients talk to real servers directly, through `avow run` and through `avow gateway`: all the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gateway_helpers import Gateway
from project import Project
from real.accounts import account, differences
from real.packages import Packages
from real.python_client import converse
from real.talks import Talk

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.environ.get("AVOW_REAL") != "1", reason="AVOW_REAL is not 1"),
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]

Json = dict[str, Any]

CLIENTS = {
    "python, legacy": ("python", "legacy"),
    "python, auto": ("python", "auto"),
    "typescript 1": ("sdk1.mjs", "legacy"),
    "typescript 2, legacy": ("sdk2.mjs", "legacy"),
    "typescript 2, auto": ("sdk2.mjs", "auto"),
}
SERVERS = ("everything", "filesystem", "memory", "git", "excel", "workshop")


def spoken(program: str, plan: Json, packages: Packages, scripts: Path) -> Json:
    """How a client's conversation goes."""
    if program == "python":
        return account(converse(plan))
    told = scripts / "plan.json"
    told.write_text(json.dumps(plan), encoding="utf-8")
    ended = subprocess.run(
        [str(packages.node), str(scripts / program), str(told)],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return account(json.loads(ended.stdout))


def started(talk: Talk, command: list[str], project: Project) -> Json:
    """How a client starts a program."""
    return {
        "command": command[0],
        "args": command[1:],
        "cwd": str(project.directory),
        "env": {"HOME": str(project.directory), "PATH": os.environ["PATH"], **talk.environment},
    }


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_cannot_tell_that_avow_is_there(
    client: str,
    server: str,
    project: Project,
    talks: dict[str, Talk],
    gateway: Gateway,
    packages: Packages,
    node_clients: Path,
) -> None:
    program, mode = CLIENTS[client]
    talk = talks[server]
    plan: Json = {
        "mode": mode,
        "steps": talk.steps,
        "roots": talk.roots,
        "elicited": {"name": "Ada", "wood": "ash"},
    }
    run = [sys.executable, "-m", "avow", "run", server]
    routes: dict[str, Json] = {
        "direct": {"start": started(talk, talk.command, project)},
        "run": {"start": started(talk, run, project)},
        "gateway": {"url": gateway.url(server)},
    }

    accounts = {}
    for route, way in routes.items():
        talk.reset()
        accounts[route] = spoken(program, plan | way, packages, node_clients)

    for route in ("run", "gateway"):
        found = differences(accounts[route], accounts["direct"])
        assert not found, "\n".join([f"through {route}:", *found])
