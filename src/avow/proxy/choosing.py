"""Which server to start, and what somebody approved about it: decided before anything slow is loaded."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from avow.core.canonical import JsonValue
from avow.core.lockfile import Entry, Lockfile
from avow.core.target import StdioTarget, Target
from avow.errors import ServerLaunchError, UsageError
from avow.system.processes import expand


class Holding(StrEnum):
    """What a session is held to: an approved entry, the server's declaration, or its first lists."""

    LOCK = "lock"
    DECLARED = "declared"
    FROZEN = "frozen"


class Chosen(NamedTuple):
    """A server, the entry that approves it if there is one, and what its sessions are held to."""

    name: str
    target: Target
    entry: Entry | None
    holding: Holding

    @property
    def declared(self) -> JsonValue:
        """The configuration that the server declared when it was approved."""
        return None if self.entry is None else self.entry.snapshot.configuration_schema


def choose_entry(name: str, entry: Entry, holding: Holding | None = None) -> Chosen:
    """A locked server, held to its entry unless somebody asks for less."""
    return Chosen(name, entry.snapshot.target, entry, holding or Holding.LOCK)


def choose_command(
    name: str | None,
    command: Sequence[str],
    values: Mapping[str, str],
    lockfile: Lockfile | None,
    path: Path,
    holding: Holding | None = None,
) -> Chosen:
    """The server that a command starts, held to its entry when it has one.

    An entry may say `${NAME}` where the command has the value of that variable.

    Raises:
        UsageError: the entry approves another command, or is asked for and not there.
    """
    target = StdioTarget(command[0], tuple(command[1:]))
    entry = lockfile.servers.get(name) if lockfile and name else None
    if entry is None:
        if holding is Holding.LOCK:
            raise UsageError(
                f"{path} has no entry {name!r} to hold this command to",
                hint="approve it with `avow lock --name NAME -- COMMAND ARG…`",
            )
        return Chosen(name or command[0], target, None, holding or Holding.FROZEN)
    approved = entry.snapshot.target
    if not isinstance(approved, StdioTarget) or list(command) not in _spellings(approved, values):
        raise UsageError(
            f"the entry {name!r} of {path} approves another command than this one",
            hint=f"start what is approved with `avow run {name}`, or approve this one with `avow lock`",
        )
    return choose_entry(name or command[0], entry, holding)


def _spellings(target: StdioTarget, values: Mapping[str, str]) -> Iterator[list[str]]:
    """The command as it was approved, and as it reads with its variables filled in."""
    words = [target.command, *target.args]
    yield words
    with suppress(ServerLaunchError):
        yield [expand(word, values) for word in words]
