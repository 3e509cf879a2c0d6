"""Where what is remembered lies, and whether there may be something: light, since every start asks that."""

from pathlib import Path
from typing import Final

from avow.system.directories import config_directory

_LONGEST: Final = 40


def directory() -> Path:
    """Where the files are, one for each configured server."""
    return config_directory() / "servers"


def files_of(name: str) -> list[Path]:
    """The files that may be about a server of this name; those of names that look alike are among them."""
    place = directory()
    begins = beginning(name)
    try:
        return sorted(
            path for path in place.iterdir() if path.name.startswith(begins) and path.suffix == ".json"
        )
    except OSError:
        return []


def beginning(name: str) -> str:
    """How the file of a server of this name begins, for people who look into the directory."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())
    return f"{plain[:_LONGEST]}."
