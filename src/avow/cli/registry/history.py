"""`avow registry history`: the versions of a server, and how each differs from the one before."""

from collections.abc import Iterator
from typing import Any

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.asking import limit_option, open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.core.canonical import JsonObject
from avow.core.printable import printable

_MOST_LINES = 12


@click.command("history", short_help=SUBCOMMANDS["history"])
@click.argument("name", metavar="NAMESPACE/SERVER")
@limit_option
@registry_option
@format_option("text", "json")
def command(name: str, *, limit: int, registry: str, format_name: str) -> int:
    """Show the versions of a server, newest first, each with its drift to the one before."""
    from avow.core.publication import ServerName

    with open_client(registry) as client:
        answer = client.versions(ServerName.read(name), limit=limit)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(answer))
    else:
        write("".join(f"{line}\n" for line in _lines(answer)))
    return 0


def _lines(answer: JsonObject) -> Iterator[str]:
    for each in answer["versions"]:
        counts = each["counts"]
        risks = ", ".join(f"{counts[level]} {level}" for level in ("high", "medium", "low") if counts[level])
        yield _safe(
            f"{each['version']}  {each['publishedAt'][:10]}  {each['digest'][:19]}…  {risks or 'nothing'}"
        )
        drift = each["drift"]
        if each["predecessor"] is None:
            yield "    first version"
        elif not drift:
            yield f"    the same as {_safe(each['predecessor'])}"
        for one in drift[:_MOST_LINES]:
            yield _safe(f"    {one['severity']:8}  {_what(one)}: {one['summary']}")
        if len(drift) > _MOST_LINES:
            yield f"    and {len(drift) - _MOST_LINES} more"
    if answer["next"]:
        yield "(there are more: --limit)"


def _what(drift: dict[str, Any]) -> str:
    return f"{drift['kind']} {drift['name']}" if drift["kind"] != "server" else str(drift["type"])


def _safe(text: str) -> str:
    return printable(text, 300)
