"""Where the files of the table are on this machine; only files that exist, and never a new directory."""

import glob
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from avow.system.clients.table import CLIENTS, Client, Place

_SUPPORT: Final = "Library/Application Support"


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where files are: the home and project directories, the platform, the environment."""

    home: Path
    project: Path
    platform: str
    environ: Mapping[str, str]

    def expand(self, candidate: str) -> Path | None:
        """The path that a candidate of the table stands for here, or nothing when it cannot exist."""
        first, _, rest = candidate.partition("/")
        match first:
            case "~":
                return self.home / rest
            case "{app}":
                base = self._application_data()
            case "{config}":
                base = self._xdg_config()
            case variable if variable.startswith("$"):
                value = self.environ.get(variable[1:])
                base = Path(value) if value else None
            case _:
                return self.project / candidate
        return None if base is None else base / rest

    def insists(self, candidate: str) -> bool:
        """True when the variable that a candidate starts with is set: the client then looks nowhere else."""
        first = candidate.partition("/")[0]
        return first.startswith("$") and bool(self.environ.get(first[1:]))

    def _application_data(self) -> Path | None:
        match self.platform:
            case "win32":
                data = self.environ.get("APPDATA")
                return Path(data) if data else None
            case "darwin":
                return self.home / _SUPPORT
            case _:
                return self._xdg_config()

    def _xdg_config(self) -> Path:
        directory = self.environ.get("XDG_CONFIG_HOME")
        return Path(directory) if directory else self.home / ".config"


def existing_files(place: Place, machine: Machine) -> list[Path]:
    """The files of the first candidate that has any."""
    for candidate in place.candidates:
        path = machine.expand(candidate)
        if path is None:
            continue
        found = [file for file in _matches(path) if file.is_file()]
        if found or machine.insists(candidate):
            return found
    return []


def _matches(path: Path) -> list[Path]:
    if "*" not in path.as_posix():
        return [path]
    head, _, tail = path.as_posix().partition("*")
    base = Path(head)
    base, prefix = (base, "") if head.endswith("/") else (base.parent, base.name)
    return sorted(base.glob(f"{glob.escape(prefix)}*{tail}"))


def all_files(machine: Machine) -> Iterator[tuple[Client, Place, Path]]:
    """Every file of every client that exists here: the project's first, since it is more specific."""
    seen: set[Path] = set()
    for wanted in (True, False):
        for client in CLIENTS:
            for place in client.places:
                if (place.scope == "project") is wanted:
                    for path in existing_files(place, machine):
                        if (real := path.resolve()) not in seen:
                            seen.add(real)
                            yield client, place, path


def client_of(path: Path, machine: Machine) -> tuple[Client, Place] | None:
    """Whose file this is: one of this machine's, or one that lies in a project as a client's would."""
    real = path.resolve()
    for client, place, known in all_files(machine):
        if known.resolve() == real:
            return client, place
    for client in CLIENTS:
        for place in client.places:
            for candidate in place.candidates:
                if place.scope == "project" and real.match(candidate):
                    return client, place
    return None
