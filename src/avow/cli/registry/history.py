"""`avow registry history`: the versions of a server, how each differs from the last, and who decided what."""

from collections.abc import Iterator
from typing import Any

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.output.console import Line, line, styled, to_string
from avow.cli.registry.asking import limit_option, open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.tables import STATES, level, risks, safe
from avow.core.canonical import JsonObject
from avow.system.registry_client.answers import understood

_MOST_LINES = 12


@click.command("history", short_help=SUBCOMMANDS["history"])
@click.argument("name", metavar="NAMESPACE/SERVER")
@limit_option
@registry_option
@format_option("text", "json")
@understood()
def command(name: str, *, limit: int, registry: str, format_name: str) -> int:
    """Show the versions of a server, newest first, each with its drift to the one before and the decisions.

    What was decided, by whom and why, is told as the registry says it; `avow check` proves it by the log.
    """
    from avow.core.publication import ServerName

    with open_client(registry) as client:
        answer = client.versions(ServerName.read(name), limit=limit)
        decisions = client.approvals(ServerName.read(name))["approvals"]
    for each in answer["versions"]:
        each["decisions"] = [made for made in decisions if made["version"] == each["version"]]
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(answer))
    else:
        write(to_string(_lines(answer)))
    return 0


def _lines(answer: JsonObject) -> Iterator[Line]:
    for each in answer["versions"]:
        facts = [safe(each["publishedAt"][:10]), f"{safe(each['digest'][:19])}…", risks(each)]
        yield line((safe(each["version"]), "bold"), "  ", "  ".join(facts))
        yield from _drift(each)
        for made in each["decisions"]:
            yield _decision(made)
    if answer["next"]:
        yield line("(there are more: --limit)")


def _drift(version: JsonObject) -> Iterator[Line]:
    drift = version["drift"]
    if version["predecessor"] is None:
        yield line("first version", indent=4)
    elif not drift:
        yield line(f"the same as {safe(version['predecessor'])}", indent=4)
    for one in drift[:_MOST_LINES]:
        word = level(one["severity"])
        text = word if isinstance(word, str) else word[0]
        head = styled("    ", word, " " * (8 - len(text)), "  ")
        yield Line(head, styled(safe(f"{_what(one)}: {one['summary']}")))
    if len(drift) > _MOST_LINES:
        yield line(f"and {len(drift) - _MOST_LINES} more", indent=4)


def _decision(made: JsonObject) -> Line:
    state = safe(made["state"])
    said = f"in {made['environment']} by {made['by']} on {made['at'][:10]}: {made['reason']}"
    return line((state, STATES.get(state, "yellow")), " ", safe(said), indent=4)


def _what(drift: dict[str, Any]) -> str:
    return f"{drift['kind']} {drift['name']}" if drift["kind"] != "server" else str(drift["type"])
