"""`avow registry audit`: is a registry's own store what its log says?"""

from typing import TYPE_CHECKING

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.keeping import data_option, database_option, place_of, with_store
from avow.core.printable import printable
from avow.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from avow.registry.store.interface import Store

_PROBLEMS = 1


@click.command("audit", short_help=SUBCOMMANDS["audit"])
@click.option(
    "--witness", multiple=True, metavar="KEY", help="The key of a witness that has cosigned. Repeatable."
)
@data_option
@database_option
@format_option("text", "json")
def command(witness: tuple[str, ...], *, data: "Path | None", database: str, format_name: str) -> int:
    """Compute everything again from the log and what was signed, and compare it with what is stored.

    For whoever runs the registry, which may go on meanwhile. Exit 1 when something is not as it has to be.
    """
    from avow.core.tlog.notes import read_verifier_key
    from avow.registry.auditing import audit
    from avow.registry.opening import log_signer
    from avow.registry.store.base import SqlStore

    place, witnesses = place_of(data, database), [read_verifier_key(each) for each in witness]

    async def run(store: "Store") -> list[str]:
        signer = log_signer(place)
        if signer is None:
            raise StorageError(
                f"the key of the log is not in {place.data}", hint="put it back; `verify --whole` needs none"
            )
        assert isinstance(store, SqlStore)
        return [each async for each in audit(store, signer.verifier(), witnesses)]

    problems = with_store(place, run)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps({"problems": problems}))
    else:
        write("".join(f"{printable(each, 500)}\n" for each in problems) or "all of it is as the log says\n")
    return _PROBLEMS if problems else 0
