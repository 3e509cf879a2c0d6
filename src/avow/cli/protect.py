"""`avow protect`: show how client configurations would change, ask, and write them."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from avow.cli.failures import DECLINED, FAILED, failure_lines
from avow.cli.options import Decorator, format_option, lockfile_option, quiet_option
from avow.cli.output import write
from avow.core.printable import printable
from avow.errors import StorageError, UsageError
from avow.proxy.protect import FileChange, Plan, carry_out, plan_protection, this_program
from avow.system.clients.backups import Backups
from avow.system.clients.find import ClientFile, machine_here, read_files
from avow.system.clients.table import CLIENTS

names_argument: Decorator[Any] = click.argument("names", nargs=-1, metavar="[NAME]…")
config_option: Decorator[Any] = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="The client configuration to change; without it, every one that is found.",
)
client_option: Decorator[Any] = click.option(
    "--client",
    type=click.Choice([client.name for client in CLIENTS]),
    metavar="CLIENT",
    help=f"Only the files of one client: {', '.join(client.name for client in CLIENTS)}.",
)
yes_option: Decorator[Any] = click.option("--yes", is_flag=True, help="Change the files without asking.")


@click.command("protect")
@names_argument
@config_option
@client_option
@lockfile_option
@yes_option
@format_option("text", "json")
@quiet_option
def command(
    names: tuple[str, ...],
    *,
    config: Path | None,
    client: str | None,
    lockfile: Path,
    yes: bool,
    format_name: str,
    quiet: bool,
) -> int:
    """Rewrite MCP client configurations so that their servers start behind `avow run`."""
    files = read_client_files(config)
    backups = backups_here()
    plan = plan_protection(
        files,
        launcher=this_program(),
        lockfile=lockfile,
        backups=backups,
        names=names,
        client=client or "",
    )
    telling = Telling("protected", text=format_name == "text", quiet=quiet)
    return settle(plan, files, backups, telling, yes=yes)


@dataclass(frozen=True, slots=True)
class Telling:
    """How a change is spoken of: in which word, to whom, and how much."""

    done: str
    text: bool
    quiet: bool


def read_client_files(config: Path | None) -> list[ClientFile]:
    """Every file that may be changed, with all of its entries."""
    return list(read_files(config, machine_here(), every_entry=True))


def backups_here() -> Backups:
    """Our own backups, in the directory that the platform has for a program's state."""
    # Late, since only this and its opposite need it.
    from platformdirs import user_state_path

    return Backups(user_state_path("avow", appauthor=False) / "clients")


def settle(plan: Plan, files: Iterable[ClientFile], backups: Backups, telling: Telling, *, yes: bool) -> int:
    """Show a plan, ask about it, carry it out, and return the exit code."""
    unreadable = [skipped for file in files if file.document is None for skipped in file.found.skipped]
    for skipped in unreadable:
        sys.stderr.write(failure_lines(printable(skipped.reason), skipped.hint))
    if telling.text:
        _show(plan, telling)
    if plan.changes and not yes and not _agrees(plan, telling):
        return DECLINED
    done, failed = _carry_out_all(plan.changes, backups)
    for error in failed:
        sys.stderr.write(failure_lines(error.message, error.hint))
    if not telling.text:
        _write_document(plan, done, telling)
    elif not telling.quiet:
        for change in done:
            write(f"{telling.done} in {change.path}: {printable(', '.join(change.servers))}\n")
    return FAILED if failed or unreadable else 0


def _carry_out_all(
    changes: Sequence[FileChange], backups: Backups
) -> tuple[list[FileChange], list[StorageError]]:
    """Each file by itself: one that cannot be written does not keep the others from it."""
    done: list[FileChange] = []
    failed: list[StorageError] = []
    for change in changes:
        try:
            carry_out(change, backups)
            done.append(change)
        except StorageError as error:
            failed.append(error)
    return done, failed


def _show(plan: Plan, telling: Telling) -> None:
    if telling.quiet:
        return
    for left in plan.untouched:
        write(printable(f"{left.name or left.path} stays as it is in {left.path}: {left.reason}") + "\n")
    for change in plan.changes:
        write(change.diff)
    if not plan.changes:
        write("nothing to do\n")


def _agrees(plan: Plan, telling: Telling) -> bool:
    """Ask a person.

    Raises:
        UsageError: there is none.
    """
    if not (telling.text and sys.stdin.isatty()):
        raise UsageError(
            "somebody has to agree to the change, and there is no terminal to ask on; nothing was written",
            hint="run the same with --yes",
        )
    files = "this file" if len(plan.changes) == 1 else f"these {len(plan.changes)} files"
    return click.confirm(f"\nChange {files}?", default=False, err=True)


def _write_document(plan: Plan, done: Sequence[FileChange], telling: Telling) -> None:
    from avow.cli.output.json import dumps

    files = [
        {"path": str(change.path), "client": change.client, telling.done: list(change.servers)}
        for change in done
    ]
    untouched = [
        {"path": str(left.path), "client": left.client, "name": left.name, "reason": left.reason}
        for left in plan.untouched
    ]
    write(dumps({"files": files, "untouched": untouched}))
