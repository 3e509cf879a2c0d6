"""Where the code of a server is: the directory of the installed package, or of the script that is started.

What a package manager left on disk tells; nothing is executed.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from avow.core.artifact import Artifact
from avow.core.target import StdioTarget, Target
from avow.system.artifacts import find_artifact

_SCRIPTS: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py")
_ROOTS: Final = ("package.json", "pyproject.toml", "setup.py")
_MOST: Final = 5_000
_SEPARATORS: Final = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True)
class Package:
    """A directory with code; `distribution` is the Python package that is meant where it holds several."""

    directory: Path
    distribution: str = ""
    script: Path | None = None


def find_package(target: Target, environment: Mapping[str, str]) -> Package | None:
    """Where the code of a server is; None when it is not known, or not on this machine."""
    if not isinstance(target, StdioTarget):
        return None
    try:
        artifact = find_artifact(target, environment)
        if artifact is not None and (found := next(_installed(artifact, target, environment), None)):
            return found
        return _of_script(target)
    except (OSError, RuntimeError, ValueError):
        return None


def _installed(artifact: Artifact, target: StdioTarget, environment: Mapping[str, str]) -> Iterator[Package]:
    if artifact.type == "npm":
        for package in _npm_places(artifact.name, target, environment):
            if (package / "package.json").is_file():
                yield Package(package)
    else:
        for site in _sites(target, environment):
            if any(_is_of(artifact, info.name) for info in islice(site.glob("*.dist-info"), _MOST)):
                yield Package(site, artifact.name)


def _npm_places(name: str, target: StdioTarget, environment: Mapping[str, str]) -> Iterator[Path]:
    directory = Path(target.cwd or ".").absolute()
    for word in (target.command, *target.args):
        path = (directory / word).resolve()
        if "node_modules" in path.parts and name in str(path):
            yield Path(str(path).rpartition(f"node_modules/{name}")[0]) / "node_modules" / name
    for place in (directory, *directory.parents):
        yield place / "node_modules" / name
    cache = environment.get("npm_config_cache") or Path(environment.get("HOME", "")) / ".npm"
    cached = islice(Path(cache).glob(f"_npx/*/node_modules/{name}"), _MOST)
    yield from sorted(cached, key=lambda path: path.stat().st_mtime, reverse=True)


def _sites(target: StdioTarget, environment: Mapping[str, str]) -> Iterator[Path]:
    """Directories with Python packages: of the environment that the command is in, and of uv's."""
    from shutil import which

    home = Path(environment.get("HOME", ""))
    prefixes: list[Path] = []
    if (program := which(target.command, path=environment.get("PATH", ""))) is not None:
        prefixes += [Path(program).absolute().parent.parent, Path(program).resolve().parent.parent]
    cache = Path(environment.get("UV_CACHE_DIR") or home / ".cache" / "uv")
    tools = Path(environment.get("UV_TOOL_DIR") or home / ".local" / "share" / "uv" / "tools")
    prefixes += islice(tools.glob("*"), _MOST)
    environments = [*islice(cache.glob("environments-v*/*/pyvenv.cfg"), _MOST)]
    environments += islice(cache.glob("environments-v*/*/*/pyvenv.cfg"), _MOST)
    newest = sorted(environments, key=lambda path: path.stat().st_mtime, reverse=True)
    for prefix in (*prefixes, *(path.parent for path in newest)):
        yield from prefix.glob("lib/python3*/site-packages")


def _is_of(artifact: Artifact, directory: str) -> bool:
    name, _, version = directory.removesuffix(".dist-info").rpartition("-")
    return _SEPARATORS.sub("-", name).lower() == artifact.name and version == artifact.version


def _of_script(target: StdioTarget) -> Package | None:
    """The project around a script that is started by its path."""
    directory = Path(target.cwd or ".").absolute()
    for word in (target.command, *target.args):
        script = directory / word
        if word.endswith(_SCRIPTS) and script.is_file():
            script = script.resolve()
            for place in script.parents[:4]:
                if any((place / name).is_file() for name in _ROOTS) and place != Path.home():
                    return Package(place, script=script)
            return Package(script.parent, script=script)
    return None


def environment_of(values: Mapping[str, str]) -> dict[str, str]:
    """Our environment with a server's values on top, to look for what it would start."""
    return {**os.environ, **values}
