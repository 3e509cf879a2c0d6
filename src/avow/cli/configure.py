"""`avow configure`: ask for what a server needs, try it, and keep it where no file of a project holds it."""

import os
import sys
from dataclasses import replace
from typing import Any

import click

from avow.cli.asking.terminal import is_there
from avow.cli.asking.wishes import Wishes, configure_options
from avow.cli.main import COMMANDS
from avow.cli.options import (
    CommandWithServer,
    ServerOptions,
    server_command,
    server_options,
)
from avow.cli.reaching import known_names, lockfile_if_there, reach_one
from avow.configure.scripted import Flags, read_flags, with_named
from avow.configure.setup import Setup
from avow.core.canonical import JsonValue
from avow.core.configuration.model import Configuration
from avow.core.target import FileTarget, PythonTarget
from avow.errors import UsageError
from avow.system.looking import label
from avow.system.targets import Reachable, same_place

_LONGEST_STDIN = 128 * 1024


@click.command("configure", cls=CommandWithServer, short_help=COMMANDS["configure"])
@click.argument("target", nargs=-1, metavar="NAME")
@configure_options
@server_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    target: tuple[str, ...],
    *,
    set_: tuple[str, ...],
    set_from_env: tuple[str, ...],
    set_file: tuple[str, ...],
    set_stdin: str | None,
    forget: tuple[str, ...],
    options: ServerOptions,
    **wishes: Any,
) -> int:
    """Set a server up: ask for what it needs, start it with that, and keep it when it works.

    Secrets go to the system's keyring, or else into an encrypted file; `avow run` hands them to the
    server when it starts.
    """
    flags = Flags(set_, set_from_env, set_file, set_stdin or "", forget)
    wanted = Wishes(**wishes)
    reachable = reach_one(target, server_command(ctx), options)
    if isinstance(reachable.target, FileTarget | PythonTarget):
        raise UsageError(
            "this server is not started by us, so there is nothing to hand over to it",
            hint="name an entry of the lockfile or of a client's configuration, a command, or an address",
        )
    if wanted.name:
        reachable = replace(reachable, name=wanted.name)
    if wanted.reset:
        return _reset(reachable, wanted, options)
    asks = wanted.text and is_there() and not flags and not wanted.web
    setup = _set_up(reachable, wanted, options, asks=asks)
    return _carry_out(setup, flags, wanted, options)


def _set_up(reachable: Reachable, wanted: Wishes, options: ServerOptions, *, asks: bool) -> Setup:
    """Find out everything there is to know before anything is asked."""
    from avow.cli.output.facts import target_words
    from avow.cli.progress import progress
    from avow.configure.agreeing import agree
    from avow.configure.learning import Learning, learn
    from avow.configure.trying import Trial
    from avow.system.configuration.values import Sources
    from avow.system.secret_store import open_store

    flags = {**reachable.environment, **reachable.headers}
    name = label(reachable)
    sources = Sources(flags, os.environ, wanted.preset, shows_defaults=not wanted.where)
    with progress(quiet=options.quiet) as show:
        learning = Learning(
            options.lockfile,
            sources,
            options.timeout,
            _locked_declaration(reachable, options),
            None if show is None else lambda text: show(name, text),
        )
        subject = learn(name, reachable, learning)
    if subject.known.is_unseen and not wanted.where:
        from avow.cli.asking.agreement import agrees

        if agrees(subject, asks=asks, yes=wanted.yes, quiet=options.quiet or not wanted.text):
            subject = agree(subject, sources)
    subject = replace(subject, written=_written(reachable, subject.configuration, options))
    plan = subject.plan(os.environ, wanted.allow_variable)
    keys = (one.key for one in subject.configuration if one.binding.name in wanted.allow_variable)
    insisted = tuple(dict.fromkeys((*wanted.allow_variable, *keys)))
    trial = Trial(options.timeout)
    command_words = target_words(reachable.target)
    return Setup(subject, plan, open_store(), trial, os.environ, insisted, command_words)


def _carry_out(setup: Setup, flags: Flags, wanted: Wishes, options: ServerOptions) -> int:
    if wanted.where:
        from avow.cli.asking.explaining import tell_where

        tell_where(setup, text=wanted.text)
        return 0
    if wanted.web:
        from avow.cli.asking.browser import configure_in_browser

        code, saved = configure_in_browser(setup, idle=wanted.idle, open_it=wanted.open_it, text=wanted.text)
    elif wanted.text and is_there() and not flags and not wanted.yes:
        from avow.cli.asking.interactive import configure_on_terminal

        code, saved = configure_on_terminal(
            setup, everything=wanted.everything, save_anyway=wanted.save_anyway, quiet=options.quiet
        )
    else:
        from avow.cli.asking.unattended import Telling, configure_unattended

        setup = with_named(setup, flags)
        draft, wrong = read_flags(flags, setup, _standard_input)
        telling = Telling(wanted.text, options.quiet)
        code, saved = configure_unattended(setup, draft, wrong, telling, save_anyway=wanted.save_anyway)
    return _afterwards(setup, wanted, options, code) if code == 0 and (saved or wanted.move) else code


def _afterwards(setup: Setup, wanted: Wishes, options: ServerOptions, code: int) -> int:
    """What remains to be done: secrets in client files, and a word about how clients start the server."""
    from avow.cli.asking.afterwards import move_secrets, next_step
    from avow.cli.failures import FAILED
    from avow.cli.output import write

    asks = wanted.text and not wanted.yes and not wanted.web
    moved = move_secrets(setup, options.config, options.lockfile, move=wanted.move, ask=asks)
    if wanted.text and not options.quiet:
        locked = setup.subject.name in lockfile_if_there(options.lockfile).servers
        write(next_step(setup, options.config, is_locked=locked) + "\n")
    return code if moved else FAILED


def _locked_declaration(reachable: Reachable, options: ServerOptions) -> JsonValue:
    """What the lock entry says that the server asks for, if it is this server's entry."""
    entry = lockfile_if_there(options.lockfile).servers.get(reachable.name)
    if entry is None or not same_place(entry.snapshot.target, reachable.target):
        return None
    return entry.snapshot.configuration_schema


def _written(reachable: Reachable, configuration: Configuration, options: ServerOptions) -> dict[str, str]:
    """Which values stand in a client's configuration, and where that is."""
    if not reachable.environment:
        return {}
    servers = known_names(options).configured().servers
    found = [
        one for one in servers if one.name == reachable.name and same_place(one.target, reachable.target)
    ]
    return {
        parameter.key: f"the configuration of {server.client} in {server.path}"
        for server in found
        for parameter in configuration
        if parameter.binding.name in server.env
    }


def _standard_input() -> bytes:
    if sys.stdin.isatty():
        raise UsageError(
            "--set-stdin wants the value on standard input", hint="pipe it in: … | avow configure"
        )
    return sys.stdin.buffer.read(_LONGEST_STDIN)


def _reset(reachable: Reachable, wanted: Wishes, options: ServerOptions) -> int:
    """Remove everything that is stored for a server, after a yes."""
    from avow.cli.failures import DECLINED
    from avow.cli.output import write
    from avow.core.printable import printable
    from avow.system.configuration.identity import identify
    from avow.system.configuration.remembered import forget, recall

    name = label(reachable)
    identity, shown = identify(name, reachable.target), printable(name, 80, fold=True)
    found = recall(identity)
    if found is not None and not wanted.yes:
        if not is_there():
            raise UsageError("somebody has to agree, and there is no terminal to ask on", hint="say --yes")
        keys = ", ".join((*found.values, *found.secrets)) or "nothing but answers"
        question = f"Remove what is stored for {shown} ({printable(keys, 300, fold=True)})?"
        if not click.confirm(question, default=False, err=True):
            return DECLINED
    forget(identity)
    if wanted.text and not options.quiet:
        write(f"nothing is stored for {shown}\n")
    elif not wanted.text:
        from avow.cli.output.json import dumps

        write(dumps({"server": name, "status": "reset"}))
    return 0
