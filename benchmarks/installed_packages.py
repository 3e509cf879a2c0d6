"""Public packages, installed once into a directory outside the repository and never executed there."""

import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "avow-benchmarks"
_PATIENCE = 600


def installed(ecosystem: str, package: str, version: str, cache: Path = CACHE) -> Path | None:
    """The directory in which the package is installed, or None where its registry does not give it to us.

    npm puts it below `node_modules`; of PyPI only the package itself is fetched, beside its metadata.
    """
    home = cache / ecosystem / f"{package.replace('/', '__')}@{version}"
    found = home / "node_modules" / package if ecosystem == "npm" else home
    done = home / ".installed"
    if not done.is_file():
        home.mkdir(parents=True, exist_ok=True)
        command = _npm(home, package, version) if ecosystem == "npm" else _pypi(home, package, version)
        finished = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        if finished.returncode:
            sys.stderr.write(f"{package} {version} could not be installed: {finished.stderr[-300:]}\n")
            return None
        done.touch()
    return found


def _npm(home: Path, package: str, version: str) -> list[str]:
    quiet = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"]
    return ["npm", "install", "--ignore-scripts", *quiet, "--prefix", str(home), f"{package}@{version}"]


def _pypi(home: Path, package: str, version: str) -> list[str]:
    return [
        *(
            "uv",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--python",
            sys.executable,
            "--python-version",
            "3.13",
        ),
        *("--target", str(home), f"{package}=={version}"),
    ]
