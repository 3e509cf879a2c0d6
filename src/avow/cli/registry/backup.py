"""`avow registry backup` and `restore`: a registry in one file, and back."""

from pathlib import Path

import click

from avow.cli.output import write
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.keeping import data_option, database_option, place_of
from avow.core.printable import printable


@click.command("backup", short_help=SUBCOMMANDS["backup"])
@click.argument("file", type=click.Path(path_type=Path))
@data_option
@database_option
def backup_command(file: Path, *, data: Path | None, database: str) -> int:
    """Copy a registry into one file, while it runs; the file holds the key of the log, so keep it safe."""
    from avow.registry.operations import backup

    place = place_of(data, database)
    backup(place, file)
    write(printable(f"{file} holds the registry in {place.data}, and the key of its log\n"))
    return 0


@click.command("restore", short_help=SUBCOMMANDS["restore"])
@click.argument("file", type=click.Path(path_type=Path))
@data_option
def restore_command(file: Path, *, data: Path | None) -> int:
    """Put a backup into a directory that has no registry."""
    from avow.registry.operations import restore

    place = place_of(data, "")
    restore(file, place.data)
    write(printable(f"the registry is in {place.data}: `avow registry serve --data {place.data}`\n"))
    return 0
