"""Whom stored values belong to: a name and what it stands for, so that no namesake ever gets them."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from avow.core.canonical import Digest, JsonObject, digest
from avow.core.target import HttpTarget, StdioTarget, Target, target_document
from avow.system.configuration.runners import is_runner, what_is_started

_BETWEEN: Final = re.compile(r"[\s=,:;|&\"'()]+")
_SUFFIXES: Final = (
    "",
    ".py",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".tsx",
    ".json",
    ".toml",
    ".yaml",
    ".yml",
)


@dataclass(frozen=True, slots=True)
class Identity:
    """A server as a person configured it: what it is called, and the digest of how it is reached.

    The digest covers the command, its arguments and its directory, or the address; never the values that
    are given to it, nor the names of its variables.
    """

    name: str
    digest: Digest

    def __str__(self) -> str:
        """The text under which its secrets are kept."""
        return f"{self.name}#{self.digest}"


def identify(name: str, target: Target, directory: Path | None = None) -> Identity:
    """The identity of a server that is started in `directory`, by default the current one.

    `make serve` and `python server.py` are another program in another directory. So the directory is part
    of the identity, unless the command is known to start the same program in every one.
    """
    match target:
        case StdioTarget():
            document: JsonObject = {"command": target.command, "args": list(target.args), "cwd": target.cwd}
            place = (directory or Path.cwd()) / (target.cwd or "")
            if not _is_the_same_everywhere(target, place):
                document["directory"] = str(place.resolve())
        case HttpTarget():
            document = {"url": target.url}
        case _:
            document = target_document(target)
    return Identity(name, digest(document))


def _is_the_same_everywhere(target: StdioTarget, directory: Path) -> bool:
    """Whether a command would start the same program elsewhere, and nothing here gives it another meaning."""
    started = what_is_started(target.command, target.args)
    if started is None or any(_may_mean_something(directory, word) for word in started.words):
        return False
    return not any(os.path.lexists(place / name) for place in _upward(directory) for name in started.heeds)


def _upward(directory: Path) -> Iterator[Path]:
    """The directory and those above it; the files of the home directory itself count for all alike."""
    home = Path.home().resolve()
    place = directory.resolve()
    for each in (place, *place.parents):
        if each == home:
            return
        yield each


def _may_mean_something(directory: Path, word: str) -> bool:
    """Whether a word for a server may stand for a file of the directory, or a program that runs one."""
    pieces = {word, *_BETWEEN.split(word)}
    pieces |= {piece[2:] for piece in pieces if piece.startswith("-")}
    # The last word of an address is no program.
    local = (piece for piece in pieces if piece and "//" not in piece)
    return any(piece.startswith(".") or is_runner(piece) or _is_there(directory, piece) for piece in local)


def _is_there(directory: Path, piece: str) -> bool:
    if Path(piece).is_absolute():
        return False
    # A module is written with dots.
    forms = {piece, piece.replace(".", "/")}
    try:
        return any(os.path.lexists(directory / f"{form}{end}") for form in forms for end in _SUFFIXES)
    except (OSError, ValueError):
        # With characters that no name has.
        return False
