"""Whom stored values belong to: a name and what it stands for, so that no namesake ever gets them."""

from dataclasses import dataclass
from pathlib import Path

from avow.core.canonical import Digest
from avow.core.target import Target


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
    raise NotImplementedError
