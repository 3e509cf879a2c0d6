"""`avow check`: compare every locked server with what was approved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from avow.cli.approvals import RegistryOptions, registry_options
from avow.cli.options import (
    CommandWithServer,
    ServerOptions,
    fail_on_option,
    format_option,
    server_command,
    server_options,
)
from avow.cli.progress import progress
from avow.cli.reaching import given_values, known_names
from avow.core.lockfile import Entry
from avow.errors import UsageError
from avow.system.approved import Approved, read_approved
from avow.system.configuration.reaching import configured
from avow.system.configuration.starting import Start
from avow.system.looking import Looking, try_to_look
from avow.system.parallel import Started
from avow.system.targets import Reachable, fitting, reach, reach_command, reach_locked, unknown


@click.command("check", cls=CommandWithServer)
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--thorough", is_flag=True, help="Look again, and as another client, for answers that differ.")
@fail_on_option
@click.option("--preset", default="", metavar="NAME", help="The preset of avow.toml to start servers with.")
@format_option("text", "json", "markdown", "sarif")
@server_options
@registry_options
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    *,
    thorough: bool,
    fail_on: str | None,
    preset: str,
    format_name: str,
    options: ServerOptions,
    held: RegistryOptions,
) -> int:
    """Connect to each locked server, or to those named, and report how it differs from what was approved.

    With --environment it has to be approved there by the people of a registry, too.
    """
    approved = _chosen(names, read_approved(options.lockfile), options.lockfile)
    registered = held.names(approved, options.lockfile)
    find = _reaching(approved, server_command(ctx), options, preset)
    with progress(quiet=options.quiet) as tell:
        looking = Looking(options.timeout, thorough=thorough, on_progress=tell)
        jobs = {
            name: partial(try_to_look, partial(find, name, entry), _as_approved(looking, entry))
            for name, entry in approved.items()
        }
        with Started(jobs) as started:
            # The servers are starting: time to load what compares and prints.
            from avow.cli.judging import judging_here, threshold
            from avow.cli.output import DriftReport, load, print_drift
            from avow.system.checking import outcome

            load(format_name)
            judging = judging_here()
            looked = started.results()
    outcomes = (outcome(name, entry, looked[name], judging) for name, entry in approved.items())
    ours = all(isinstance(entry, Entry) for entry in approved.values())
    report = DriftReport(tuple(outcomes), threshold(fail_on, judging), options.lockfile, can_approve=ours)
    show = partial(print_drift, report)
    if registered:
        # Late, since most servers are held to a lockfile alone.
        from avow.cli.held_report import hold, print_held

        report = with_registry = hold(report, held, registered)
        show = partial(print_held, with_registry)
    if not (options.quiet and report.is_clean and format_name == "text"):
        show(format_name)
    return report.exit_code


def _as_approved(looking: Looking, entry: Approved) -> Looking:
    """Look in the era in which the server was approved; what it showed then need not settle for long."""
    if not isinstance(entry, Entry):
        return looking
    return replace(looking, era=entry.snapshot.era, expected=entry.snapshot.signature.digest)


def _reaching(
    approved: Mapping[str, Approved], server: Sequence[str], options: ServerOptions, preset: str
) -> Callable[[str, Approved], Reachable]:
    """How to get from an entry to its server: as the entry says, or as the command line does."""
    given, known = given_values(options), known_names(options)
    if server and len(approved) != 1:
        raise UsageError(
            "`-- COMMAND` stands for one server", hint="name the entry that it should be held against"
        )

    def find(name: str, entry: Approved) -> Reachable:
        if server:
            return reach_command(server, given)
        if isinstance(entry, Entry):
            snapshot = entry.snapshot
            reachable = reach_locked(name, known, fitting(given, snapshot.target))
            start = Start(
                name,
                reachable.target,
                snapshot.configuration_schema,
                options.lockfile,
                preset,
                one_of_many=len(approved) > 1,
            )
            # What is given for several servers may not be meant for what one of them declares.
            return configured(reachable, start, {} if start.one_of_many else given.environment)
        if entry.target is None:
            raise UsageError(
                f"{options.lockfile} does not say how to start the server",
                hint=f"add it: avow check --lockfile {options.lockfile} -- COMMAND ARG…",
            )
        return reach(entry.target, given, name)

    return find


def _chosen(names: Sequence[str], servers: Mapping[str, Approved], lockfile: Path) -> dict[str, Approved]:
    for name in names:
        if name not in servers:
            raise unknown(name, servers, f"{lockfile} has no entry {name!r}")
    if not servers:
        raise UsageError(f"{lockfile} has no servers yet", hint="approve one: `avow lock -- COMMAND ARG…`")
    return {name: servers[name] for name in sorted(set(names or servers))}
