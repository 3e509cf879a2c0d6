"""`avow export`: write an approved snapshot in another format."""

import datetime
import sys
from collections.abc import Mapping
from pathlib import Path

import click

import avow
from avow.cli.options import lockfile_option
from avow.cli.output import write
from avow.core.documents import snapshot_document
from avow.core.lockfile import Entry
from avow.core.mcptrust import dumps_mcptrust, not_exported
from avow.core.printable import printable
from avow.core.readable_json import readable_json
from avow.errors import UsageError
from avow.system.files import write_atomically
from avow.system.lockfiles import read_lockfile
from avow.system.targets import unknown


@click.command("export")
@click.argument("name", required=False)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["mcptrust", "json"]),
    default="json",
    show_default=True,
    help="A lockfile of MCPTrust (version 3), or the snapshot as `avow inspect --save` writes it.",
)
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE, not to stdout."
)
@lockfile_option
def command(name: str | None, *, format_name: str, output: Path | None, lockfile: Path) -> int:
    """Write what was approved for one server; NAME may be left out when there is only one."""
    entry = _chosen(name, read_lockfile(lockfile).servers, lockfile)
    if format_name == "json":
        data = readable_json(snapshot_document(entry.snapshot))
    else:
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        data = dumps_mcptrust(
            entry.snapshot, entry.artifact, generator=f"avow {avow.__version__}", updated_at=now
        )
        for note in not_exported(entry.snapshot):
            sys.stderr.write(f"note: {printable(note, fold=True)}\n")
    if output is None:
        write(data.decode())
    else:
        write_atomically(output, data)
    return 0


def _chosen(name: str | None, servers: Mapping[str, Entry], lockfile: Path) -> Entry:
    if name is None:
        if len(servers) != 1:
            raise UsageError(
                f"{lockfile} has {len(servers)} servers: name the one to export",
                hint=f"known names: {', '.join(sorted(servers))}" if servers else "run `avow lock` first",
            )
        return next(iter(servers.values()))
    if name not in servers:
        raise unknown(name, servers, f"{lockfile} has no entry {name!r}")
    return servers[name]
