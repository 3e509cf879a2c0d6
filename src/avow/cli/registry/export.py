"""`avow registry export` and `import`: what was published, as lines that another registry reads."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.output import write
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.keeping import data_option, database_option, place_of, with_store
from avow.core.printable import printable
from avow.errors import StorageError

if TYPE_CHECKING:
    from avow.registry.importing import Imported
    from avow.registry.store.interface import Store


@click.command("export", short_help=SUBCOMMANDS["export"])
@click.argument("file", type=click.Path(path_type=Path), required=False)
@data_option
@database_option
def export_command(file: Path | None, *, data: Path | None, database: str) -> int:
    """Write everything that was published, decided and claimed as JSON lines, to FILE or standard output.

    Watch lists are in it too; tokens, webhooks and the key of the log are not: a backup has them.
    """
    from avow.registry.exporting import export

    async def run(store: "Store") -> None:
        try:
            if file is None:
                async for line in export(store):
                    sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
                return
            # For its owner alone: of a private registry it has everything.
            with open(file, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
                async for line in export(store):
                    out.write(line)
        except BrokenPipeError:
            # Whoever reads has seen enough; nothing more is to be written at the end, either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except FileExistsError as error:
            raise StorageError(f"{file} is there already", hint="name another file, or remove it") from error
        except OSError as error:
            raise StorageError(f"the export cannot be written: {error.strerror}") from error

    with_store(place_of(data, database), run)
    if file is not None:
        write(printable(f"{file} holds what the log of the registry records, and what people watch\n"))
    return 0


@click.command("import", short_help=SUBCOMMANDS["import"])
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--log-key",
    metavar="KEY",
    help="The key of the other registry's log (origin+identifier+key): nothing else is believed then.",
)
@data_option
@database_option
def import_command(file: Path, *, log_key: str | None, data: Path | None, database: str) -> int:
    """Read an export into this registry; all of it has to be what the checkpoint in it was signed for.

    Where the log here has the same key, it goes on as the same log. Otherwise everything gets its place and
    its time in the log of this registry.
    """
    from avow.core.tlog.notes import read_verifier_key
    from avow.registry.export_reading import read_export
    from avow.registry.importing import import_file
    from avow.registry.opening import ORIGIN, log_signer

    place = place_of(data, database)
    key = None if log_key is None else read_verifier_key(log_key)

    async def run(store: "Store") -> "Imported":
        signer = log_signer(place)
        own = None if signer is None else signer.verifier()
        return await import_file(store, file, datetime.now(UTC), own=own, key=key)

    if not (place.data / ORIGIN).exists():
        # Nothing is made for a file that cannot be imported.
        read_export(file, key)
    done = with_store(place, run, may_be_new=True)
    same = "; the log is the same one, and goes on here: stop the other registry" if done.is_same_log else ""
    write(f"{done.new} new, {done.known} there already{same}\n")
    return 0
