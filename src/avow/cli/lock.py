"""`avow lock`: show what a server offers or how it has changed, ask, and write the lockfile."""

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import click

from avow.cli.failures import DECLINED, FAILED, failure_lines
from avow.cli.options import CommandWithServer, ServerOptions, format_option, server_command, server_options
from avow.cli.output import write
from avow.cli.progress import progress
from avow.cli.reaching import given_values, known_names, lockfile_if_there, reach_all
from avow.core.lockfile import Lockfile
from avow.core.mcptrust import MCPTrustLockfile
from avow.core.printable import printable
from avow.errors import AvowError, UsageError
from avow.system.approved import read_mcptrust
from avow.system.approving import Candidate, approve, prepare
from avow.system.checking import Failed
from avow.system.clients import SkippedServer
from avow.system.configuration.reaching import with_stored
from avow.system.lockfiles import update_lockfile
from avow.system.looking import Looking, label
from avow.system.parallel import in_parallel
from avow.system.targets import Reachable, fitting, reach_configured, reach_locked


@click.command("lock", cls=CommandWithServer)
@click.argument("targets", nargs=-1, metavar="[TARGET]…")
@click.option("--name", default="", metavar="NAME", help="What to call the server in the lockfile.")
@click.option("--yes", is_flag=True, help="Approve without asking.")
@click.option(
    "--import",
    "imported",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take over from MCPTrust: hold the server against its mcp-lock.json, then approve it here.",
)
@format_option("text", "json")
@server_options
@click.pass_context
def command(
    ctx: click.Context,
    targets: tuple[str, ...],
    *,
    name: str,
    yes: bool,
    imported: Path | None,
    format_name: str,
    options: ServerOptions,
) -> int:
    """Look at servers, show what approving them means, ask, and write it to the lockfile.

    With --config and no TARGET: all servers of that file. With neither: all that are locked already.
    """
    before = lockfile_if_there(options.lockfile)
    old = read_mcptrust(imported) if imported else None
    server = server_command(ctx) or (_command_of(old) if old and not targets else ())
    wanted, failed = _wanted(targets, server, before, options, name)
    if name and len(wanted) != 1:
        raise UsageError("--name is for one server", hint="lock one target at a time, each with its name")
    if old and len(wanted) != 1:
        raise UsageError("--import is for one server", hint="a lockfile of MCPTrust holds a single one")
    candidates, not_prepared = _prepared(wanted, before, name, old, options)
    failed += not_prepared
    text = format_name == "text"
    approved, declined = _ask_about(candidates, yes=yes, text=text, quiet=options.quiet)
    if approved:
        update_lockfile(options.lockfile, lambda lockfile: approve(lockfile, approved))
    if text:
        _tell(approved, failed, options)
    else:
        _print_document(approved, declined, failed, options.lockfile)
    return FAILED if failed else DECLINED if declined else 0


def _wanted(
    words: Sequence[str], server: Sequence[str], before: Lockfile, options: ServerOptions, name: str
) -> tuple[list[Reachable], list[Failed]]:
    """The servers that the command line asks for, and those of a configuration that cannot be used."""
    if words or server:
        return reach_all(words, server, options, name), []
    given, known = given_values(options), known_names(options)
    if options.config is not None:
        found = known.configured()
        usable = [
            with_stored(reach_configured(one, fitting(given, one.target)), options.lockfile)
            for one in found.servers
        ]
        return usable, _unusable(found.skipped)
    if not before.servers:
        raise UsageError(
            "nothing to lock: name a TARGET, or a client's configuration with --config FILE",
            hint="for example `avow lock -- npx -y SERVER`",
        )
    return [
        with_stored(reach_locked(name, known, fitting(given, entry.snapshot.target)), options.lockfile)
        for name, entry in before.servers.items()
    ], []


def _unusable(skipped: Iterable[SkippedServer]) -> list[Failed]:
    """What is disabled was meant to be left out; anything else that cannot be used is a failure."""
    failed = []
    for one in skipped:
        if one.disabled:
            sys.stderr.write(printable(f"note: {one.name}: {one.reason}\n"))
        else:
            failed.append(Failed(one.name, UsageError(f"{one.path}: {one.reason}", one.hint)))
    return failed


def _command_of(old: MCPTrustLockfile) -> tuple[str, ...]:
    if old.target is None:
        raise UsageError(
            "the imported lockfile does not say how to start the server", hint="add it: -- COMMAND ARG…"
        )
    return (old.target.command, *old.target.args)


def _prepared(
    wanted: Iterable[Reachable],
    before: Lockfile,
    name: str,
    old: MCPTrustLockfile | None,
    options: ServerOptions,
) -> tuple[list[Candidate], list[Failed]]:
    with progress(quiet=options.quiet) as tell:
        looking = Looking(options.timeout, on_progress=tell)
        jobs = {
            f"{number}": partial(_prepare, reachable, before, looking, name, old)
            for number, reachable in enumerate(wanted)
        }
        results = list(in_parallel(jobs).values())
    candidates: list[Candidate] = []
    failed = [result for result in results if isinstance(result, Failed)]
    for result in results:
        if isinstance(result, Candidate):
            if any(result.name == other.name for other in candidates):
                error = UsageError(
                    f"two servers would be called {result.name!r}", hint="lock one with --name"
                )
                failed.append(Failed(result.name, error))
            else:
                candidates.append(result)
    return candidates, failed


def _prepare(
    reachable: Reachable, before: Lockfile, looking: Looking, name: str, old: MCPTrustLockfile | None
) -> Candidate | Failed:
    try:
        return prepare(reachable, before.servers, looking, name, old)
    except AvowError as error:
        return Failed(name or label(reachable), error)


def _ask_about(
    candidates: Sequence[Candidate], *, yes: bool, text: bool, quiet: bool
) -> tuple[list[Candidate], list[Candidate]]:
    """Show each candidate, and sort them into approved and declined.

    Raises:
        UsageError: a person has to decide, and there is none.
    """
    from avow.cli.output.review import review

    approved: list[Candidate] = []
    declined: list[Candidate] = []
    somebody_there = text and sys.stdin.isatty()
    for candidate in candidates:
        silent = quiet and not candidate.varies and (yes or not candidate.needs_approval)
        if text and not silent:
            write(review(candidate))
        if yes or not candidate.needs_approval or (somebody_there and _agrees(candidate)):
            approved.append(candidate)
        else:
            declined.append(candidate)
    if declined and not somebody_there:
        names = ", ".join(candidate.name for candidate in declined)
        raise UsageError(
            f"somebody has to approve {names}, and there is no terminal to ask on; nothing was written",
            hint="when you have read what it offers, run the same with --yes",
        )
    return approved, declined


def _agrees(candidate: Candidate) -> bool:
    return click.confirm(f"\nApprove {printable(candidate.name, fold=True)}?", default=False, err=True)


def _tell(approved: Sequence[Candidate], failed: Sequence[Failed], options: ServerOptions) -> None:
    for one in failed:
        sys.stderr.write(failure_lines(f"{one.name}: {one.error.message}", one.error.hint))
    if approved and not options.quiet:
        names = printable(", ".join(candidate.name for candidate in approved), fold=True)
        write(f"\n{options.lockfile} holds {names}. `avow check` tells when that is no longer so.\n")


def _print_document(
    approved: Sequence[Candidate], declined: Sequence[Candidate], failed: Sequence[Failed], lockfile: Path
) -> None:
    from avow.cli.output.json import dumps, error_document
    from avow.cli.output.review import review_document

    servers = {candidate.name: review_document(candidate, status=candidate.status) for candidate in approved}
    servers |= {candidate.name: review_document(candidate, status="declined") for candidate in declined}
    servers |= {one.name: error_document(one.error) for one in failed}
    write(dumps({"lockfile": str(lockfile), "servers": servers}))
