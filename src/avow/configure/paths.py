"""Paths that somebody types: completed while they are begun, and made whole."""

import os
from pathlib import Path
from typing import Final

from avow.core.configuration.model import PathKind

MOST: Final = 50


def completions(text: str, kind: PathKind = PathKind.ANY) -> list[str]:
    """The paths that begin with the text, directories with a slash at the end; `~` stays as it was typed."""
    directory, _, begun = text.rpartition("/")
    if not directory and text.startswith("~"):
        return ["~/"] if text == "~" else []
    place = Path(f"{directory}/" if "/" in text else ".").expanduser()
    found = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.startswith(begun) and (begun.startswith(".") or not entry.name.startswith(".")):
                    is_directory = entry.is_dir()
                    if is_directory or kind is not PathKind.DIRECTORY:
                        found.append(
                            (f"{directory}/" if "/" in text else "") + entry.name + "/" * is_directory
                        )
    except (OSError, ValueError):
        return []
    return sorted(found)[:MOST]


def whole_path(text: str) -> str:
    """The path as the server should get it: from the root, since it may be started anywhere, without `~`."""
    try:
        return os.path.abspath(Path(text).expanduser())  # noqa: PTH100  links are left as they are
    except (RuntimeError, ValueError):
        return text
