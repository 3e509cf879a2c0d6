"""What is left to do once values are kept: how clients start the server, and secrets in their files."""

import sys
from pathlib import Path

from avow.cli.asking.terminal import ask_yes, is_there
from avow.cli.failures import failure_lines
from avow.configure.answering import Draft
from avow.configure.moving import Exposed, entries_of, exposed, take_out
from avow.configure.setup import Setup
from avow.configure.wording import line_of
from avow.core.target import HttpTarget
from avow.errors import AvowError
from avow.system.clients.find import machine_here, read_files


def move_secrets(setup: Setup, config: Path | None, lockfile: Path, *, move: bool, ask: bool) -> bool:
    """Move secrets out of client configurations, where somebody wants that; whether all went well."""
    try:
        found = list(exposed(setup.subject, read_files(config, machine_here(), every_entry=True)))
    except AvowError:
        # Files of clients are not what this is about: what cannot be read has nothing to be moved.
        return True
    done = True
    for one in found:
        names = line_of(", ".join(one.secrets))
        words = f"{names} of {line_of(one.server.name)} stands in clear in {one.path}"
        question = (
            f"{words}. Move it to {setup.store.describe()}, and start the server there behind `avow run`?"
        )
        if move or (ask and is_there() and ask_yes(question, default=False)):
            done = _move(setup, one, lockfile) and done
        else:
            sys.stderr.write(f"note: {words}; --move takes it out of there\n")
    return done


def next_step(setup: Setup, config: Path | None, *, is_locked: bool) -> str:
    """One line about how a client gets the server with its values."""
    name = line_of(setup.subject.name)
    try:
        entries = list(entries_of(setup.subject, read_files(config, machine_here(), every_entry=True)))
    except AvowError:
        entries = []
    bare = [server for _, server in entries if not server.protected]
    if bare:
        return f"`avow protect {name}` lets {line_of(bare[0].client)} start it with these values."
    if isinstance(setup.subject.reachable.target, HttpTarget):
        return f"`avow gateway` reaches {name} with these values, once it is locked under this name."
    if is_locked:
        return f"`avow run {name}` starts it with these values; that is what a client's configuration says."
    return f"`avow lock --name {name} …` approves it; then `avow run {name}` starts it with these values."


def _move(setup: Setup, found: Exposed, lockfile: Path) -> bool:
    # Late: what starts us again is known to the proxy.
    from avow.proxy.protect import this_program

    variables = {
        parameter.binding.name: key for key, parameter in setup.subject.configuration.parameters.items()
    }
    known = {name: variables[name] for name in found.secrets if name in variables}
    given = {key: (found.server.env[name],) for name, key in known.items() if name in found.server.env}
    try:
        if given:
            setup.keep(Draft(given, tuple(given)))
            take_out(found, frozenset(known), this_program(), lockfile)
    except AvowError as error:
        sys.stderr.write(failure_lines(error.message, error.hint))
        return False
    sys.stderr.write(f"{line_of(', '.join(known))}: moved from {found.path} to {setup.store.describe()}\n")
    return True
