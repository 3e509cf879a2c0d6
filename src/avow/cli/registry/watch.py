"""`avow registry watch`: the list of servers and namespaces that a person wants to hear of."""

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.asking import administration, level_option, limit_option, registry_option
from avow.cli.registry.group import group_of
from avow.cli.registry.tables import level as coloured
from avow.cli.registry.tables import print_list, print_table, safe
from avow.core.printable import printable
from avow.system.registry_client.answers import understood


@group_of("watch")
def command() -> None:
    """Keep a list of servers and namespaces, and see what changed in them; the list is yours alone."""


@command.command("add")
@click.argument("target", metavar="NAMESPACE/SERVER|NAMESPACE/*")
@level_option("moderate")
@registry_option
@format_option("text", "json")
@understood()
def add(target: str, *, level: str, registry: str, format_name: str) -> int:
    """Put a server, or a whole namespace, on your list."""
    with administration(registry, needs_token=True) as client:
        made = client.add_watch(target, level)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(made))
    else:
        write(printable(f"{made['id']}  {target} is watched: drift from {level} on\n"))
    return 0


@command.command("list")
@registry_option
@format_option("text", "json")
@understood()
def list_watches(*, registry: str, format_name: str) -> int:
    """Show your list."""
    with administration(registry, needs_token=True) as client:
        found = client.watches()
    rows = [
        (safe(each["id"]), coloured(each["level"]), each["createdAt"][:10], safe(each["target"]))
        for each in found["watches"]
    ]
    nothing = "you watch nothing: `avow registry watch add NAMESPACE/SERVER`"
    return print_list(found, format_name, ("ID", "LEVEL", "SINCE", "TARGET"), rows, nothing)


@command.command("remove")
@click.argument("identifier", metavar="ID")
@registry_option
def remove(identifier: str, *, registry: str) -> int:
    """Take something off your list, by the identifier that `list` shows."""
    from avow.cli.registry.words import read_identifier

    with administration(registry, needs_token=True) as client:
        client.remove_watch(read_identifier(identifier, "avow registry watch list"))
    return 0


@command.command("changes")
@click.option(
    "--after", type=click.IntRange(0), default=0, metavar="N", help="Only what came after the last answer."
)
@limit_option
@registry_option
@format_option("text", "json")
@understood()
def changes(*, after: int, limit: int, registry: str, format_name: str) -> int:
    """Show what changed in everything on your list, oldest first, each at its own level."""
    with administration(registry, needs_token=True) as client:
        found = client.watched_changes(after=after, limit=limit)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(found))
        return 0
    rows = [
        (
            each["publishedAt"][:10],
            coloured(each["highest"]),
            f"{safe(each['name'])} {safe(each['version'])}, after {safe(each['predecessor'])}",
        )
        for each in found["changes"]
    ]
    print_table(("WHEN", "LEVEL", "WHAT"), rows, "nothing changed in what you watch")
    if len(rows) == limit:
        write(printable(f"(there may be more: --after {found['next']})\n"))
    return 0
