"""`avow doctor`: does every configured server start, does it have what it needs, and has it drifted."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from avow.cli.options import CommandWithServer, ServerOptions, format_option, server_command, server_options
from avow.cli.progress import progress
from avow.cli.reaching import given_values, known_names, lockfile_if_there, reach_all
from avow.core.lockfile import Entry, Lockfile
from avow.core.target import FileTarget
from avow.errors import AvowError, UsageError
from avow.system.looking import label
from avow.system.parallel import in_parallel
from avow.system.targets import Given, Reachable, reach_configured, reach_locked, same_place

if TYPE_CHECKING:
    from avow.cli.output.doctor_report import Visited
    from avow.system.clients import FoundServers
    from avow.system.diagnosis.examining import Examination, Examined


@dataclass(frozen=True, slots=True)
class _Visit:
    """A server to look at: how to reach it, or why that is not possible, and what was approved of it."""

    name: str
    reach: Callable[[], Reachable]
    entry: Entry | None = None


@click.command("doctor", cls=CommandWithServer)
@click.argument("targets", nargs=-1, metavar="[TARGET]…")
@click.option(
    "--offline", is_flag=True, help="Start nothing: compare what is set with what is known to be needed."
)
@click.option(
    "--probe", is_flag=True, help="Start again with placeholders, to find what is asked for one at a time."
)
@format_option("text", "json", "markdown")
@server_options
@click.pass_context
def command(
    ctx: click.Context,
    targets: tuple[str, ...],
    *,
    offline: bool,
    probe: bool,
    format_name: str,
    options: ServerOptions,
) -> int:
    """Examine servers, or all that are configured: do they start, what do they lack, have they drifted?"""
    if offline and probe:
        raise UsageError("--offline starts nothing, and --probe starts servers", hint="leave one of them out")
    visits, unreadable = _visits(targets, server_command(ctx), options)
    if not visits and not unreadable:
        raise UsageError(
            "there is no server to look at",
            hint="name one, give a client's configuration with --config FILE, or write `-- COMMAND ARG…`",
        )
    from avow.cli.output.doctor import print_report
    from avow.cli.output.doctor_report import DoctorReport
    from avow.system.diagnosis.examining import Examination

    with progress(quiet=options.quiet) as tell:
        jobs = {}
        for name, visit in visits.items():
            told = None if tell is None else partial(tell, name)
            examination = Examination(options.timeout, offline=offline, probe=probe, on_progress=told)
            jobs[name] = partial(_visit, visit, examination, options)
        visited = in_parallel(jobs)
    report = DoctorReport(tuple(visited.values()), unreadable)
    if not (options.quiet and report.exit_code == 0 and format_name == "text"):
        print_report(report, format_name)
    return report.exit_code


def _visits(
    words: Sequence[str], server: Sequence[str], options: ServerOptions
) -> tuple[dict[str, _Visit], tuple[str, ...]]:
    """Every server that is meant, by a name that nothing else has; and files that could not be read."""
    lockfile = lockfile_if_there(options.lockfile)
    unreadable: tuple[str, ...] = ()
    if words or server:
        found: Iterator[_Visit] = (_named(one, lockfile) for one in reach_all(words, server, options))
    else:
        known = known_names(options)
        configured = known.configured()
        unreadable = tuple(f"{one.path}: {one.reason}" for one in configured.skipped if not one.name)
        locked = (
            []
            if options.config
            else [
                _Visit(name, partial(reach_locked, name, known, Given()), entry)
                for name, entry in lockfile.servers.items()
            ]
        )
        found = iter((*locked, *_configured(configured, lockfile, given_values(options), locked)))
    visits: dict[str, _Visit] = {}
    for visit in found:
        visits[_free(visit.name, visits)] = visit
    return visits, unreadable


def _named(reachable: Reachable, lockfile: Lockfile) -> _Visit:
    if isinstance(reachable.target, FileTarget):
        raise UsageError(f"{reachable.target.path} is a file, and a doctor wants to see the server itself")
    name = reachable.name or label(reachable)
    return _Visit(name, lambda: reachable, _entry_of(reachable, lockfile, name))


def _configured(
    found: "FoundServers", lockfile: Lockfile, given: Given, already: Sequence[_Visit]
) -> Iterator[_Visit]:
    """The servers of clients, each once; one that is locked under its name was seen already."""
    locked = {one.name: one.entry.snapshot.target for one in already if one.entry is not None}
    seen: list[tuple[str, object]] = []
    for server in found.servers:
        if server.name in locked and same_place(locked[server.name], server.target):
            continue
        if (server.name, server.target) not in seen:
            seen.append((server.name, server.target))
            reachable = reach_configured(server, given)
            entry = _entry_of(reachable, lockfile, server.name)
            yield _Visit(server.name, lambda reachable=reachable: reachable, entry)  # type: ignore[misc]
    for skipped in found.skipped:
        if skipped.name and not skipped.disabled:
            error = UsageError(f"{skipped.reason} (in {skipped.path})", hint=skipped.hint)
            yield _Visit(skipped.name, partial(_refuse, error))


def _refuse(error: AvowError) -> Reachable:
    raise error


def _entry_of(reachable: Reachable, lockfile: Lockfile, name: str) -> Entry | None:
    entry = lockfile.servers.get(name)
    return entry if entry is not None and same_place(entry.snapshot.target, reachable.target) else None


def _free(name: str, taken: dict[str, _Visit]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _visit(visit: _Visit, examination: "Examination", options: ServerOptions) -> "Visited":
    """Look at one server; whatever keeps us from looking is part of the report."""
    from avow.cli.output.doctor_report import Visited
    from avow.system.configuration.reaching import with_stored
    from avow.system.diagnosis.examining import Examined, examine
    from avow.system.diagnosis.model import Diagnosis, Status

    try:
        reachable = with_stored(visit.reach(), options.lockfile)
        declared = None if visit.entry is None else visit.entry.snapshot.configuration_schema
        examined = examine(reachable, examination, reachable.name, declared)
        return Visited(visit.name, _with_drift(examined, visit, reachable))
    except AvowError as error:
        failed = Diagnosis(Status.ERROR, error.message, next=error.hint)
        return Visited(visit.name, Examined(failed), looked=False)


def _with_drift(examined: "Examined", visit: _Visit, reachable: Reachable) -> "Examined":
    """The same, unless what the server shows is not what was approved."""
    if examined.snapshot is None or visit.entry is None:
        return examined
    from avow.cli.judging import judging_here, threshold
    from avow.system.artifacts import find_artifact
    from avow.system.checking import compare
    from avow.system.connect import Observation
    from avow.system.diagnosis.model import Status
    from avow.system.given import given_to
    from avow.system.looking import Seen

    judging = judging_here()
    environment = {**os.environ, **reachable.environment}
    seen = Seen(
        Observation(examined.snapshot), find_artifact(reachable.launch, environment), given_to(reachable)
    )
    compared = compare(visit.name, visit.entry, seen, judging)
    if compared.highest is None or compared.highest < threshold(None, judging):
        return examined
    message = f"it is not what was approved: {compared.counts}, first of all {compared.drift[0].summary}"
    next_step = f"avow check {visit.name}"
    drifted = replace(examined.diagnosis, status=Status.DRIFTED, message=message, next=next_step)
    return replace(examined, diagnosis=drifted)
