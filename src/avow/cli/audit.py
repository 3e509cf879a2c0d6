"""`avow audit`: rules over a source tree, probes of a running server, or both."""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.failures import FAILED
from avow.cli.options import CommandWithServer, ServerOptions, format_option, server_command, server_options
from avow.errors import UsageError
from avow.system.targets import looks_like_a_file

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
    from avow.audit.model import Level
    from avow.audit.report import together
    from avow.cli.output.audit import print_audit

    settings = _settings(fail_on, select, ignore)
    if source_only:
        _refuse_servers(subjects, server_command(ctx))
    reports = _reports(subjects, server_command(ctx), allow_calls, options)
    report = settings.apply(together(reports))
    print_audit(report, format_name)
    if badge is not None:
        from avow.audit.badge import badge_svg
        from avow.system.files import write_atomically

        write_atomically(badge, badge_svg(report.scorecard).encode())
    if report.is_blind:
        return FAILED
    level = Level(fail_on) if fail_on else settings.fail_on
    return 1 if report.at_least(level) else 0


def _settings(fail_on: str | None, select: tuple[str, ...], ignore: tuple[str, ...]) -> "AuditSettings":
    from avow.audit.model import Level
    from avow.audit.settings import COMMAND_LINE, IgnoreRule, read_audit, rule_id
    from avow.system.settings import read_settings

    settings = read_audit(read_settings(Path.cwd()).policy.audit)
    dropped = tuple(IgnoreRule(rule_id(one), COMMAND_LINE) for one in ignore)
    return replace(
        settings,
        fail_on=Level(fail_on) if fail_on else settings.fail_on,
        select=frozenset(map(rule_id, select)) or settings.select,
        ignore=(*dropped, *settings.ignore),
    )


def _reports(
    subjects: tuple[str, ...], server: tuple[str, ...], allowed: tuple[str, ...], options: ServerOptions
) -> "list[Report]":
    if not subjects and not server:
        raise UsageError(
            "nothing to audit",
            hint="name a source directory, a server, or both: `avow audit src -- node server.js`",
        )
    paths = [word for word in subjects if _is_source(word)]
    targets = [word for word in subjects if not _is_source(word)]
    reports = [_watched(f"reading {path}", partial(_scan, Path(path)), options) for path in paths]
    if targets or server:
        _refuse_servers_of_this_project(targets, options)
        reports.extend(_probe(targets, server, allowed, options))
    return reports


def _refuse_servers(subjects: tuple[str, ...], server: tuple[str, ...]) -> None:
    if server:
        raise UsageError("--source-only starts nothing, and there is a command behind `--`")
    for word in subjects:
        if not _is_source(word):
            raise UsageError(
                f"{word!r} is no directory and no source file", hint="--source-only reads these alone"
            )


def _refuse_servers_of_this_project(words: list[str], options: ServerOptions) -> None:
    """Whoever audits somebody's code and mistypes a directory must not start what that code names so."""
    from avow.cli.reaching import known_names

    known = known_names(options)
    if options.config is not None:
        return
    for word in words:
        if word.startswith(("http://", "https://")) or looks_like_a_file(word) or word in known.locked():
            continue
        for server in known.configured().servers:
            if server.name == word and server.path.resolve().is_relative_to(Path.cwd().resolve()):
                raise UsageError(
                    f"{word!r} is no directory here, but a server of {server.path}",
                    hint=f"to start and probe it: `avow audit --config {server.path} {word}`",
                )


def _is_source(word: str) -> bool:
    """A directory or a source file; a snapshot or a lockfile is a target, and no code."""
    path = Path(word)
    return path.is_dir() or (
        path.suffix in (".py", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx")
    )


def _scan(path: Path) -> "Report":
    from avow.audit.scan import scan

    return scan(path)


def _probe(
    targets: list[str], server: tuple[str, ...], allowed: tuple[str, ...], options: ServerOptions
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
