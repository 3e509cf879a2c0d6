"""`avow inspect`: connect to a server and show what it can do."""

from pathlib import Path

import click

from avow.cli.options import CommandWithServer, ServerOptions, format_option, server_command, server_options
from avow.cli.output import SnapshotReport, print_snapshot
from avow.cli.output.report import Need
from avow.cli.progress import progress
from avow.cli.reaching import reach_one
from avow.core.documents import snapshot_document
from avow.core.secrets import refuse_secrets
from avow.core.snapshot import Snapshot
from avow.core.target import StdioTarget
from avow.system.checking import settle, struck, variance
from avow.system.configuration.reaching import with_stored
from avow.system.connect import ServerExitedError
from avow.system.looking import Looking, Seen, look_at
from avow.system.snapshots import write_snapshot
from avow.system.targets import Reachable


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
        seen = _look(reachable, Looking(options.timeout, thorough=thorough, on_progress=tell))
    settled = settle(seen.observation)
    if save is not None:
        refuse_secrets(settled.first.target, snapshot_document(settled.first), seen.given)
        write_snapshot(save, settled.first)
    shown = struck(settled, seen.given)
    report = SnapshotReport(
        shown.first, variance(shown) if thorough else None, _needs(reachable, shown.first)
    )
    print_snapshot(report, format_name)
    return 0


def _look(reachable: Reachable, looking: Looking) -> Seen:
    """Look at the server; one that leaves is told with what it needs."""
    try:
        return look_at(reachable, looking)
    except ServerExitedError as error:
        # Late, since few need it.
        from avow.system.diagnosis.explaining import explained

        raise explained(reachable, error) from error


def _needs(reachable: Reachable, snapshot: Snapshot) -> tuple[Need, ...]:
    """What the package says that the server needs, where the server itself says nothing."""
    if snapshot.configuration_schema is not None or not isinstance(reachable.launch, StdioTarget):
        return ()
    from avow.cli.output.doctor_report import needs_of
    from avow.system.diagnosis.explaining import needs_beside

    return needs_of(needs_beside(reachable, snapshot))
