"""`avow registry export` and `import`: what was published, as lines that another registry reads."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.output import write
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.keeping import data_option, database_option, place_of, with_store
from avow.errors import StorageError

if TYPE_CHECKING:
    from avow.registry.operations import Imported
    from avow.registry.store.interface import Store


@click.command("export", short_help=SUBCOMMANDS["export"])
@click.argument("file", type=click.Path(path_type=Path), required=False)
@data_option
@database_option
def export_command(file: Path | None, *, data: Path | None, database: str) -> int:
    """Write everything that was published, decided and claimed as JSON lines, to FILE or standard output."""
    from avow.registry.operations import export

    async def run(store: "Store") -> None:
        try:
            if file is None:
                async for line in export(store):
                    sys.stdout.buffer.write(line)
                return
            with file.open("xb") as out:
                async for line in export(store):
                    out.write(line)
        except OSError as error:
            raise StorageError(f"the export cannot be written: {error.strerror}") from error

    with_store(place_of(data, database), run)
    return 0


@click.command("import", short_help=SUBCOMMANDS["import"])
@click.argument("file", type=click.Path(path_type=Path))
@data_option
@database_option
def import_command(file: Path, *, data: Path | None, database: str) -> int:
    """Read an export into this registry: everything is verified again, and gets its place in this log."""
    from avow.registry.operations import import_lines

    async def run(store: "Store") -> "Imported":
        try:
            with file.open("rb") as lines:
                return await import_lines(store, lines, datetime.now(UTC))
        except OSError as error:
            raise StorageError(f"{file} cannot be read: {error.strerror}") from error

    done = with_store(place_of(data, database), run)
    write(f"{done.new} new, {done.known} there already\n")
    return 0
