"""The user's settings: `avow.toml`, or `[tool.avow]` in `pyproject.toml`, of the project one works in."""

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from avow.errors import UsageError
from avow.system.files import read_bounded

if TYPE_CHECKING:
    from avow.core.configuration.project import ProjectConfiguration
    from avow.core.policy import Policy

_LIMIT = 256 * 1024
# A key of so many parts is nobody's setting, and a parser takes quadratic time for it. Linear: it begins at
# the beginning of a part, and each part ends where nothing of the next can begin.
_DEEP_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""",
    re.ASCII,
)
_SERVERS = "servers"


def _default() -> "Policy":
    from avow.core.policy import Policy

    return Policy()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the settings say, and the file they are in; None when there is none."""

    policy: "Policy" = field(default_factory=_default)
    path: Path | None = None


def read_settings(directory: Path) -> Settings:
    """The settings for work in `directory`: the nearest going up, not beyond the repository.

    Raises:
        StorageError: the file cannot be read.
        UsageError: it says something that does not exist.
    """
    found = _nearest(directory)
    if found is None:
        return Settings()
    # Not used here, but a mistake in it is told wherever the settings are read.
    _read_servers(*found)
    return Settings(_read(*found), found[0])


def read_gate_table(lockfile: Path) -> Mapping[str, Any]:
    """The table `[gate]` of the settings beside a lockfile; empty where there are none.

    Clients start servers in whatever project is open: only who can write the lockfile says how it is held.
    A session waits for this: without settings, nothing that reads or judges them is loaded.

    Raises:
        StorageError: the file cannot be read.
        UsageError: it says something that does not exist.
    """
    found = _beside(lockfile.absolute().parent)
    return _read(*found).gate if found else {}


def has_server_settings(lockfile: Path) -> bool:
    """Whether the settings beside a lockfile say anything about servers; where not, nothing is loaded.

    Raises:
        StorageError: the file cannot be read.
        UsageError: it is not valid.
    """
    found = _beside(lockfile.absolute().parent)
    return found is not None and _SERVERS in found[1]


def read_server_settings(lockfile: Path, name: str) -> "ProjectConfiguration":
    """What `[servers.NAME]` of the settings beside a lockfile says about one server, as for `[gate]`.

    Raises:
        StorageError: the file cannot be read.
        UsageError: it says something that does not exist, or holds a secret.
    """
    from avow.core.configuration.project import ProjectConfiguration

    found = _beside(lockfile.absolute().parent)
    servers = _read_servers(*found) if found else {}
    return servers.get(name, ProjectConfiguration())


def _nearest(directory: Path) -> tuple[Path, dict[str, Any]] | None:
    return next(filter(None, map(_beside, _upward(directory.absolute()))), None)


def _beside(place: Path) -> tuple[Path, dict[str, Any]] | None:
    own, shared = place / "avow.toml", place / "pyproject.toml"
    found = [(own, _parse(own))] if _is_file(own) else []
    if _is_file(shared) and (table := _tool_table(shared)) is not None:
        found.append((shared, table))
    if len(found) > 1:
        raise UsageError(f"both {own} and {shared} have settings for Avow", hint="keep one of them")
    return found[0] if found else None


def _upward(directory: Path) -> Iterator[Path]:
    for place in (directory, *directory.parents):
        yield place
        if _is_there(place / ".git"):
            return


def _is_there(path: Path) -> bool:
    """Whether something is there that we may see; a directory we may not enter has no settings for us."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def _is_file(path: Path) -> bool:
    return _is_there(path) and path.is_file()


def _tool_table(path: Path) -> dict[str, Any] | None:
    # Most of these files are not about us, and some are templates that no parser reads.
    if b"avow" not in read_bounded(path, _LIMIT):
        return None
    tools = _parse(path).get("tool", {})
    if not isinstance(tools, dict) or "avow" not in tools:
        return None
    table = tools["avow"]
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.avow is not a table", hint="write [tool.avow]")
    return table


def _parse(path: Path) -> dict[str, Any]:
    import tomllib

    data = read_bounded(path, _LIMIT)
    try:
        text = data.decode()
        parsed = None if _DEEP_KEY.search(text) else tomllib.loads(text)
    except (ValueError, RecursionError) as exc:
        # A TOMLDecodeError is a ValueError, and so is what a number of too many digits raises.
        raise UsageError(f"{path} is not valid TOML: {exc}") from exc
    if parsed is None:
        raise UsageError(f"{path} is not valid TOML for settings: a key has too many parts")
    return parsed


def _read(path: Path, data: dict[str, Any]) -> "Policy":
    from avow.core.policy import read_policy

    others = {name: table for name, table in data.items() if name != _SERVERS}
    try:
        return read_policy(_with_text_dates(others))
    except UsageError as exc:
        raise UsageError(f"{path}: {exc.message}", hint=exc.hint) from exc


def _read_servers(path: Path, data: dict[str, Any]) -> "dict[str, ProjectConfiguration]":
    if _SERVERS not in data:
        return {}
    from avow.core.configuration.project import read_project

    try:
        return read_project(_with_text_dates(data[_SERVERS]))
    except UsageError as exc:
        raise UsageError(f"{path}: {exc.message}", hint=exc.hint) from exc


def _with_text_dates(value: Any) -> Any:
    """TOML has dates; what is pure has strings."""
    match value:
        case dict():
            return {key: _with_text_dates(item) for key, item in value.items()}
        case list():
            return [_with_text_dates(item) for item in value]
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return value
