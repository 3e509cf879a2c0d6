"""Starting a program that is a server, and ending it; nothing here talks to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from subprocess import Popen
from typing import Final

from avow.core.target import StdioTarget
from avow.system.connect.options import ConnectOptions
from avow.system.processes import (
    child_environment,
    end_process_group,
    expand,
    launch,
    placeholders,
    variable,
)

# Killing the client of a container engine leaves the container running: its server has to leave by itself.
_CONTAINER_ENGINES: Final = frozenset({"docker", "podman", "nerdctl", "container"})
_CONTAINER_PATIENCE: Final = 3.0
_PATIENCE: Final = 0.02


@dataclass(frozen=True, slots=True)
class Program:
    """A running program, and the values that it was given and nobody else should read."""

    process: Popen[bytes]
    values: Mapping[str, str] = field(repr=False)
    patience: float

    def end(self) -> None:
        """End the program and everything that it started; once is enough, and twice does no harm."""
        end_process_group(self.process, patience=self.patience)


def start_program(target: StdioTarget, options: ConnectOptions) -> Program:
    """Start the server.

    Raises:
        ServerLaunchError: it cannot be started, or a variable that it needs has no value.
    """
    options.progress(f"starting {target.command}")
    arguments = [expand(part, options.env) for part in (target.command, *target.args)]
    directory = None if target.cwd is None else expand(target.cwd, options.env)
    named = (*target.env, *placeholders(" ".join([target.command, *target.args, target.cwd or ""])))
    values = {**{name: variable(name, options.env) for name in named}, **options.env}
    process = launch(arguments, child_environment(target.env, options.env), directory)
    return Program(process, values, _CONTAINER_PATIENCE if _is_container_engine(target) else _PATIENCE)


def _is_container_engine(target: StdioTarget) -> bool:
    return target.command.replace("\\", "/").rpartition("/")[2] in _CONTAINER_ENGINES
