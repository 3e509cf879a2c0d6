"""From options to something that can be reached: the lockfile, client configurations and given values."""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from avow.cli.options import ServerOptions
from avow.core.lockfile import Lockfile
from avow.core.target import Target
from avow.errors import UsageError
from avow.system.configuration.reaching import with_stored
from avow.system.lockfiles import read_lockfile
from avow.system.targets import Given, Known, Reachable, reach_command, read_given, resolve

if TYPE_CHECKING:
    from avow.system.clients import FoundServers


def given_values(options: ServerOptions) -> Given:
    """The values of `--env` and `--header`."""
    return read_given(options.environment, options.headers, os.environ)


def known_names(options: ServerOptions) -> Known:
    """What a NAME may mean here."""

    @cache
    def locked() -> dict[str, Target]:
        servers = lockfile_if_there(options.lockfile).servers
        return {name: entry.snapshot.target for name, entry in servers.items()}

    @cache
    def configured() -> "FoundServers":
        from avow.system.clients import read_clients

        return read_clients(options.config)

    return Known(options.lockfile, locked, configured, options.config)


def lockfile_if_there(path: Path) -> Lockfile:
    """The lockfile; an empty one when there is no such file yet."""
    return read_lockfile(path) if path.exists() else Lockfile()


def reach_all(
    words: Sequence[str], command: Sequence[str], options: ServerOptions, name: str = ""
) -> list[Reachable]:
    """Every target that a command line names, in its order, with what is stored for each.

    A `name` is what the server behind `--` is to be called.

    Raises:
        UsageError: a word means nothing, or more than one thing.
        AvowError: what is stored for one of them cannot be read.
    """
    return [
        with_stored(reached, options.lockfile, "" if reached.name else name)
        for reached in _reach_all(words, command, options)
    ]


def reach_one(words: Sequence[str], command: Sequence[str], options: ServerOptions) -> Reachable:
    """The one target that a command line names, with nothing but what the command line gives it.

    Raises:
        UsageError: it names none, or several.
    """
    if len(words) + bool(command) != 1:
        raise UsageError(
            "one target is needed: `-- COMMAND ARG…`, a URL, a NAME, package.module:object or FILE.json",
            hint="put the command of a server behind `--`"
            if words
            else "for example `avow inspect -- npx -y SERVER`",
        )
    return _reach_all(words, command, options)[0]


def _reach_all(words: Sequence[str], command: Sequence[str], options: ServerOptions) -> list[Reachable]:
    given, known = given_values(options), known_names(options)
    reached = [resolve(word, known, given) for word in words]
    return [*reached, reach_command(command, given)] if command else reached
