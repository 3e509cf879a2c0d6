"""Installs the packages once, approves all servers in one lockfile, and serves them all by one gateway."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway_helpers import Gateway, eventually, running
from project import Project
from real.conversations import Conversations
from real.packages import Packages, install, versions
from real.talks import Talk, all_talks

LIST_CHANGED = "notifications/tools/list_changed"


@pytest.fixture(scope="session")
def packages(request: pytest.FixtureRequest) -> Packages:
    """What npm and PyPI have, kept in pytest's cache for the next run."""
    for program in ("npm", "node", "uv", "git"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    return install(request.config.cache.mkdir("real") / versions())


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="session")
def talks(packages: Packages, project: Project) -> Iterator[dict[str, Talk]]:
    """Every server, approved as a person would: from a client's configuration, or at its address."""
    talks = all_talks(packages, project.directory)
    for talk in talks.values():
        talk.reset()
    write_configuration(project.directory / "servers.json", talks)
    locked = project.run("lock", "--yes", "--config", "servers.json")
    assert locked.returncode == 0, locked.stderr
    with reachable(packages) as url:
        locked = project.run("lock", "--yes", "--name", "everything-http", url)
        assert locked.returncode == 0, locked.stderr
        # Over HTTP nobody listens yet when it says that its list has changed.
        steps = [step for step in talks["everything"].steps if step.get("method") != LIST_CHANGED]
        yield {**talks, "everything-http": replace(talks["everything"], url=url, steps=steps)}


@pytest.fixture(scope="session")
def gateway(project: Project, talks: dict[str, Talk]) -> Iterator[Gateway]:
    environment: Any = {name: each for talk in talks.values() for name, each in talk.environment.items()}
    with running(project, "--log", str(project.directory / "gateway.log"), **environment) as gateway:
        yield gateway


@pytest.fixture(scope="session")
def node_clients(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our scripts beside the packages they import: modules of Node are looked for next to their file."""
    place = tmp_path_factory.mktemp("clients")
    shutil.copytree(Path(__file__).parent / "clients", place, dirs_exist_ok=True)
    (place / "node_modules").symlink_to(packages.node_modules)
    return place


@pytest.fixture(scope="session")
def conversations(
    request: pytest.FixtureRequest,
    project: Project,
    talks: dict[str, Talk],
    gateway: Gateway,
    packages: Packages,
    node_clients: Path,
) -> Iterator[Conversations]:
    """All that the chosen tests ask for, begun at once."""
    conversations = Conversations(project, talks, gateway, packages, node_clients)
    for item in request.session.items:
        named = item.callspec.params if hasattr(item, "callspec") else {}
        if {"client", "server"} <= named.keys():
            conversations.begin(named["client"], named["server"])
    yield conversations
    conversations.close()


@contextmanager
def reachable(packages: Packages) -> Iterator[str]:
    """The reference server over HTTP; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*packages.npm_server("server-everything"), "streamableHttp"],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def answers() -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    try:
        assert eventually(answers, 20)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def write_configuration(path: Path, talks: dict[str, Talk]) -> None:
    """A client's configuration that starts all servers."""
    servers = {
        name: {
            "command": talk.command[0],
            "args": talk.command[1:],
            **({"env": talk.environment} if talk.environment else {}),
        }
        for name, talk in talks.items()
    }
    path.write_text(json.dumps({"mcpServers": servers}, indent=2), encoding="utf-8")
