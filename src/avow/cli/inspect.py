"""`avow inspect`: connect to a server and show what it can do."""

from pathlib import Path

import click

from avow.cli.options import CommandWithServer, ServerOptions, format_option, server_command, server_options
from avow.cli.output import SnapshotReport, print_snapshot
from avow.cli.progress import progress
from avow.cli.reaching import reach_one
from avow.core.documents import snapshot_document
from avow.core.secrets import refuse_secrets
from avow.system.checking import settle, struck, variance
from avow.system.configuration.reaching import with_stored
from avow.system.looking import Looking, look_at
from avow.system.snapshots import write_snapshot


@click.command("inspect", cls=CommandWithServer)
@click.argument("target", nargs=-1)
@click.option("--thorough", is_flag=True, help="Look again, and as another client, for answers that differ.")
@click.option("--save", type=click.Path(path_type=Path), metavar="FILE", help="Write the snapshot to FILE.")
@format_option("text", "json", "markdown")
@server_options
@click.pass_context
def command(
    ctx: click.Context,
    target: tuple[str, ...],
    *,
    thorough: bool,
    save: Path | None,
    format_name: str,
    options: ServerOptions,
) -> int:
    """Connect to one server and show its identity, its capabilities with their risk, and what it needs."""
    reachable = with_stored(reach_one(target, server_command(ctx), options), options.lockfile)
    with progress(quiet=options.quiet) as tell:
        seen = look_at(reachable, Looking(options.timeout, thorough=thorough, on_progress=tell))
    settled = settle(seen.observation)
    if save is not None:
        refuse_secrets(settled.first.target, snapshot_document(settled.first), seen.given)
        write_snapshot(save, settled.first)
    shown = struck(settled, seen.given)
    print_snapshot(SnapshotReport(shown.first, variance(shown) if thorough else None), format_name)
    return 0
