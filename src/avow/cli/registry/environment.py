"""`avow registry environment`: how many people have to agree before a version is approved somewhere."""

import click

from avow.cli.output import write
from avow.cli.registry.asking import administration, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.core.printable import printable


@click.command("environment", short_help=SUBCOMMANDS["environment"])
@click.argument("name")
@click.option("--needed", type=click.IntRange(1, 100), required=True, metavar="N", help="How many people.")
@registry_option
def command(name: str, *, needed: int, registry: str) -> int:
    """Set up an environment, or say how many people have to agree in it."""
    with administration(registry, needs_token=True) as client:
        client.set_environment(name, needed)
    write(printable(f"{name}: {needed} have to agree, from the next decision on\n"))
    return 0
