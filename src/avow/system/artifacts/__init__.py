"""Which installed package a server's command starts: found offline, from what package managers left on disk.

Nothing is executed and nothing is asked of a registry. What cannot be told for sure is not told.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from avow.core.artifact import Artifact
from avow.core.target import StdioTarget, Target
from avow.errors import AvowError
from avow.system.artifacts import npm, python

__all__ = ["find_artifact"]


def find_artifact(target: Target, env: Mapping[str, str] | None = None) -> Artifact | None:
    """The package behind `target` when it starts with `env`, or as we were; None when it is unknown."""
    if not isinstance(target, StdioTarget):
        return None
    directory = Path(target.cwd or ".").absolute()
    try:
        return _find(target, os.environ if env is None else env, directory)
    except (AvowError, OSError, ValueError, RuntimeError):
        # An unreadable or unusual installation is an unknown one; the definitions are still compared.
        return None


def _find(target: StdioTarget, env: Mapping[str, str], directory: Path) -> Artifact | None:
    program = Path(target.command).name
    args = target.args
    if program == "npm" and args[:1] in {("exec",), ("x",)}:
        program, args = "npx", args[1:]
    if program == "uv" and args[:2] == ("tool", "run"):
        program, args = "uvx", args[2:]
    if program == "npx":
        return npm.behind_npx(args, env, directory)
    if program == "uvx":
        return python.behind_uvx(args, env)
    path = _locate(target.command, env, directory)
    if program in {"node", "nodejs"}:
        return npm.behind_node(args, directory)
    if path is None:
        return None
    if python.is_interpreter(program):
        return python.behind_module(path, args)
    return npm.around(path) or python.behind_script(path)


def _locate(command: str, env: Mapping[str, str], directory: Path) -> Path | None:
    """The program that would start: not resolved, since a link in an environment stands for it."""
    if "/" in command:
        return directory / command
    found = shutil.which(command, path=env.get("PATH", ""))
    return None if found is None else directory / found
