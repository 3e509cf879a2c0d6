"""Installs the packages once, approves all servers in one lockfile, and serves them all by one gateway."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway_helpers import Gateway, running
from project import Project
from real.packages import Packages, install, versions
from real.talks import Talk, all_talks


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
def talks(packages: Packages, project: Project) -> dict[str, Talk]:
    """Every server, approved as a person would: from a client's configuration."""
    talks = all_talks(packages, project.directory)
    for talk in talks.values():
        talk.reset()
    write_configuration(project.directory / "servers.json", talks)
    locked = project.run("lock", "--yes", "--config", "servers.json")
    assert locked.returncode == 0, locked.stderr
    return talks


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
