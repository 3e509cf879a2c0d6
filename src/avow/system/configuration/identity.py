"""Whom stored values belong to: a name and what it stands for, so that no namesake ever gets them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from avow.core.canonical import Digest, JsonObject, digest
from avow.core.target import HttpTarget, StdioTarget, Target, target_document


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

    `python server.py` is another program in another directory: where a word of the command means
    something that lies there, the directory is part of the identity.
    """
    match target:
        case StdioTarget():
            document: JsonObject = {"command": target.command, "args": list(target.args), "cwd": target.cwd}
            place = (directory or Path.cwd()) / (target.cwd or "")
            if any(_is_there(place, word) for word in (target.command, *target.args)):
                document["directory"] = str(place.resolve())
        case HttpTarget():
            document = {"url": target.url}
        case _:
            document = target_document(target)
    return Identity(name, digest(document))


def _is_there(directory: Path, word: str) -> bool:
    """Whether a word of a command may stand for something in the directory."""
    try:
        return any(path.exists() for path in _meanings(directory, word))
    except (OSError, ValueError):
        # Too long for a name, or with characters that none has.
        return False


def _meanings(directory: Path, word: str) -> Iterator[Path]:
    value = word.partition("=")[2] if word.startswith("-") else word
    if not value or Path(value).is_absolute():
        return
    yield directory / value
    # A module, as `python -m` looks for it, and a package, as `npx` does before it asks anybody else.
    yield directory / value.replace(".", "/")
    yield directory / f"{value.replace('.', '/')}.py"
    package = value if "@" not in value[1:] else value[: value.index("@", 1)]
    for place in (directory, *directory.resolve().parents):
        yield place / "node_modules" / package
        yield place / "node_modules" / ".bin" / package
