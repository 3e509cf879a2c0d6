"""`avow diff`: the drift between any two targets, snapshots or lockfiles."""

from functools import partial
from pathlib import Path

import click

from avow.cli.judging import judging_here, threshold
from avow.cli.options import (
    CommandWithServer,
    ServerOptions,
    fail_on_option,
    format_option,
    server_command,
    server_options,
)
from avow.cli.output import DriftReport, print_drift
from avow.cli.output.facts import target_words
from avow.cli.progress import progress
from avow.cli.reaching import reach_all
from avow.core.lockfile import Entry
from avow.core.target import FileTarget
from avow.errors import UsageError
from avow.system.comparing import compare_sides, read_side
from avow.system.looking import Looking
from avow.system.parallel import in_parallel


@click.command("diff", cls=CommandWithServer)
@click.argument("sides", nargs=-1, metavar="A B")
@fail_on_option
@format_option("text", "json", "markdown", "sarif")
@server_options
@click.pass_context
def command(
    ctx: click.Context,
    sides: tuple[str, ...],
    *,
    fail_on: str | None,
    format_name: str,
    options: ServerOptions,
) -> int:
    """Report how B differs from A.

    Each is a TARGET or a lockfile; a NAME is looked at as it is now. What follows `--` is B.
    """
    server = server_command(ctx)
    if len(sides) + bool(server) != 2:
        raise UsageError("diff needs two things to compare", hint="for example `avow diff old.json new.json`")
    judging = judging_here()
    before, after = reach_all(sides, server, options)
    with progress(quiet=options.quiet) as tell:
        looking = Looking(options.timeout, on_progress=tell)
        sides_read = in_parallel(
            {"A": partial(read_side, before, looking), "B": partial(read_side, after, looking)}
        )
    name, other = (
        word if word and "://" not in word else target_words(reachable.target)
        for word, reachable in zip((*sides, "")[:2], (before, after), strict=True)
    )
    compared = compare_sides(sides_read["A"], sides_read["B"], (name, other), judging)
    many = not any(isinstance(read.side, Entry) for read in sides_read.values())
    file = Path(before.target.path) if isinstance(before.target, FileTarget) else None
    report = DriftReport(compared, threshold(fail_on, judging), file, many, can_approve=False)
    if not (options.quiet and report.is_clean and format_name == "text"):
        print_drift(report, format_name)
    return report.exit_code
