"""What is at a path that somebody gave as a value."""

from pathlib import Path

from avow.core.configuration.model import PathKind


def look(path: str) -> PathKind | None:
    """What is at a path, as a server would find it; None when there is nothing."""
    try:
        found = Path(path).expanduser()
        if found.is_dir():
            return PathKind.DIRECTORY
        if found.is_file():
            return PathKind.FILE
        return PathKind.ANY if found.exists() else None
    except (OSError, RuntimeError, ValueError):
        return None
