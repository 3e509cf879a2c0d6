"""`avow audit`: rules over a source tree, probes of a running server, or both."""

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from avow.cli.audit_subjects import Subjects, read_subjects, refuse_servers, refuse_servers_of_this_project
from avow.cli.failures import FAILED
from avow.cli.options import CommandWithServer, ServerOptions, format_option, server_command, server_options
from avow.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from avow.audit.report import Report
    from avow.audit.settings import AuditSettings


@click.command("audit", cls=CommandWithServer)
@click.argument("subjects", nargs=-1, metavar="[PATH | TARGET]…")
@click.option(
    "--fail-on",
    type=click.Choice(["low", "medium", "high"]),
    help="The lowest severity that ends with exit code 1; medium unless the settings say otherwise.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Only these rules.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Not these rules.")
@click.option("--no-settings", is_flag=True, help="Do as if there were no avow.toml.")
@click.option("--no-ignore", is_flag=True, help="Accept nothing that the code or the settings ask to ignore.")
@click.option("--source-only", is_flag=True, help="Read source; start nothing, and connect to nothing.")
@click.option("--allow-calls", multiple=True, metavar="TOOL", help="A probe may call this tool.")
@click.option("--badge", type=click.Path(path_type=Path), metavar="FILE", help="Write the score card as SVG.")
@click.option("--list", "list_rules", is_flag=True, help="Print every rule, and do nothing else.")
@click.option("--explain", metavar="RULE", help="Say what a rule is about, and do nothing else.")
@format_option("text", "json", "markdown", "sarif")
@server_options
@click.pass_context
def command(
    ctx: click.Context,
    subjects: tuple[str, ...],
    *,
    fail_on: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    no_settings: bool,
    no_ignore: bool,
    source_only: bool,
    allow_calls: tuple[str, ...],
    badge: Path | None,
    list_rules: bool,
    explain: str | None,
    format_name: str,
    options: ServerOptions,
) -> int:
    """Look for weak capability negotiation: in source code, in a running server, or in both at once."""
    if list_rules or explain:
        from avow.cli.output.audit.rules import print_rules

        print_rules(explain)
        return 0
    from avow.audit.report import together
    from avow.audit.settings import AuditSettings
    from avow.cli.output.audit import print_audit

    if badge is not None:
        _refuse_link(badge)
    settings = AuditSettings() if no_settings else _settings(accepts=not no_ignore)
    settings = settings.with_options(fail_on, select, ignore)
    named, server = read_subjects(subjects), server_command(ctx)
    if source_only:
        refuse_servers(named, server)
    is_lockfile_named = ctx.get_parameter_source("lockfile") is ParameterSource.COMMANDLINE
    refuse_servers_of_this_project(named, options, is_lockfile_named=is_lockfile_named)
    reports = _reports(named, server, allow_calls, options, accepts=not no_ignore)
    report = settings.apply(together(reports))
    print_audit(report, format_name)
    if badge is not None:
        _write_badge(badge, report)
    if report.is_blind:
        return FAILED
    return 1 if report.at_least(settings.fail_on) else 0


def _refuse_link(path: Path) -> None:
    """Whose tree it is may have put a link there: it must not choose what is overwritten."""
    place, here = Path(os.path.abspath(path)), Path.cwd()  # noqa: PTH100 - as it is written, links and all
    around = here if place.is_relative_to(here) else place.parent
    try:
        leads_out = not place.resolve().is_relative_to(around.resolve())
    except (OSError, RuntimeError):
        leads_out = True
    if leads_out:
        raise UsageError(
            f"{path} is a symbolic link that leads elsewhere", hint="name the file that is to be written"
        )


def _write_badge(path: Path, report: "Report") -> None:
    from avow.audit.badge import badge_svg
    from avow.system.files import write_atomically

    write_atomically(path, badge_svg(report.scorecard).encode())


def _settings(*, accepts: bool) -> "AuditSettings":
    from avow.audit.settings import read_audit
    from avow.system.settings import read_settings

    found = read_settings(Path.cwd())
    settings = read_audit(found.policy.audit, found.path.name if found.path else "")
    return settings if accepts else replace(settings, ignore=())


def _reports(
    subjects: Subjects,
    server: tuple[str, ...],
    allowed: tuple[str, ...],
    options: ServerOptions,
    *,
    accepts: bool,
) -> "list[Report]":
    if not subjects.paths and not subjects.targets and not server:
        raise UsageError(
            "nothing to audit",
            hint="name a source directory, a server, or both: `avow audit src -- node server.js`",
        )
    reports = [
        _watched(f"reading {path}", partial(_scan, Path(path), accepts=accepts), options)
        for path in subjects.paths
    ]
    if subjects.targets or server:
        reports.extend(_probe(subjects.targets, server, allowed, options))
    return reports


def _scan(path: Path, *, accepts: bool) -> "Report":
    from avow.audit.scan import scan

    return scan(path, accepts=accepts)


def _probe(
    targets: tuple[str, ...], server: tuple[str, ...], allowed: tuple[str, ...], options: ServerOptions
) -> "list[Report]":
    from avow.audit.live.probing import Probing, probe
    from avow.cli.progress import progress
    from avow.cli.reaching import reach_all

    reached = reach_all(targets, server, options)
    with progress(quiet=options.quiet) as tell:
        probing = Probing(options.timeout, frozenset(allowed), tell)
        return [probe(reachable, probing) for reachable in reached]


def _watched(words: str, action: "Callable[[], Report]", options: ServerOptions) -> "Report":
    """Do something that may take a while, and say so on a terminal."""
    if options.quiet or not sys.stderr.isatty():
        return action()
    from rich.console import Console

    with Console(stderr=True).status(words):
        return action()
