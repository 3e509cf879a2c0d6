"""`avow registry environment`: how many people have to agree before a version is approved somewhere."""

import click

from avow.cli.output import write
from avow.cli.output.console import plural
from avow.cli.registry.asking import administration, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.tables import print_table, safe
from avow.core.printable import printable
from avow.system.registry_client.answers import understood


@click.command("environment", short_help=SUBCOMMANDS["environment"])
@click.argument("name", required=False)
@click.option(
    "--needed", type=click.IntRange(1, 100), metavar="N", help="How many people; shown unless given."
)
@registry_option
def command(name: str | None, *, needed: int | None, registry: str) -> int:
    """Show environments, set one up, or say how many people have to agree in it.

    What was approved before stays so: another number holds from the next decision about a version on.
    """
    from avow.cli.registry.words import read_environment

    if name is None or needed is None:
        if needed is not None:
            raise click.UsageError("--needed is for one environment: name it")
        return _show(None if name is None else read_environment(name), registry)
    with administration(registry, needs_token=True) as client:
        client.set_environment(read_environment(name), needed)
    told = "1 person has" if needed == 1 else f"{needed} people have"
    write(printable(f"{name}: {told} to agree, from the next decision on; what is approved stays so\n"))
    return 0


@understood()
def _show(name: str | None, registry: str) -> int:
    with administration(registry) as client:
        found = client.environments()["environments"]
    rows = [
        (safe(each["name"]), plural(each["needed"], "person").replace("persons", "people"))
        for each in found
        if name in (None, each["name"])
    ]
    nothing = "nobody has decided in any environment yet" if name is None else f"{name} is not there yet"
    print_table(("ENVIRONMENT", "NEEDED"), rows, nothing)
    return 0
