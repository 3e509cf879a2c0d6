"""What is known about a server's needs before it starts: its declaration, earlier answers, the project."""

from dataclasses import dataclass, field
from pathlib import Path

from avow.core.canonical import JsonValue
from avow.core.configuration.model import Configuration
from avow.core.target import Target
from avow.system.configuration.identity import Identity
from avow.system.configuration.remembered import Remembered


@dataclass(frozen=True, slots=True)
class Known:
    """A server's needs, and everything that was said about them earlier.

    `namesake` is true when values are stored for another server of this name. `place` is the directory of
    the settings that `project` comes from.
    """

    identity: Identity
    target: Target
    configuration: Configuration
    remembered: Remembered | None = None
    namesake: bool = False
    project: object = None
    place: Path | None = None


def known_needs(
    name: str, target: Target, declared: JsonValue = None, *, lockfile: Path | None = None
) -> Known:
    """Put together what is known of a server; `declared` is its configuration schema as it was locked.

    The settings beside `lockfile` count; without one, none do. A parameter that is declared is taken as
    declared; what was found out about others is added, and so is every variable, placeholder and header
    that the target names.

    Raises:
        AvowError: something of it cannot be read.
    """
    raise NotImplementedError
