"""`avow registry approvals`: what may be used where, what is rejected, what waits, and who said so."""

from collections.abc import Iterator, Sequence

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.output.console import BLANK, Line, Part, columns, line, to_string
from avow.cli.registry.approve import USUAL
from avow.cli.registry.asking import administration, limit_option, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.tables import STATES, risks, safe
from avow.core.canonical import JsonObject
from avow.core.tlog.decisions import newest_of_each
from avow.system.registry_client.administration import RegistryAdministration
from avow.system.registry_client.answers import understood

_STATES = ("pending", "rejected", "approved")


@click.command("approvals", short_help=SUBCOMMANDS["approvals"])
@click.option("--environment", metavar="NAME", help="Only there; everywhere unless given.")
@click.option("--state", type=click.Choice(_STATES), help="Only what stands so now.")
@limit_option
@registry_option
@format_option("text", "json")
@understood()
def command(
    *, environment: str | None, state: str | None, limit: int, registry: str, format_name: str
) -> int:
    """Show how versions stand in each environment now: by whom, when and why.

    It is told as the registry says it; `avow check --environment NAME` proves it by the log.
    """
    from avow.cli.registry.words import read_environment

    with administration(registry) as client:
        places = _places(client) if environment is None else [read_environment(environment)]
        states = _STATES if state is None else (state,)
        found = {
            place: {each: client.approvals(environment=place, state=each, limit=limit) for each in states}
            for place in places
        }
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps({"environments": found}))
    else:
        write(to_string(_lines(found)))
    return 0


def _places(client: RegistryAdministration) -> list[str]:
    return [each["name"] for each in client.environments()["environments"]] or [USUAL]


def _lines(found: dict[str, dict[str, JsonObject]]) -> Iterator[Line]:
    for number, (place, states) in enumerate(found.items()):
        if number:
            yield BLANK
        yield line((safe(place), "bold"))
        rows = [_row(each) for answer in states.values() for each in answer["versions"]]
        if not rows:
            yield line(f"nothing is {' or '.join(states)} here", indent=2)
        yield from columns(rows)
        for state, answer in states.items():
            if answer["next"]:
                yield line((f"(there is more that is {state}: --state {state} --limit N)", "dim"), indent=2)


def _row(version: JsonObject) -> Sequence[Part]:
    standing = version["standing"]
    state = standing["state"]
    newest = newest_of_each(standing["decisions"], lambda each: each["by"]).values()
    told = "; ".join(_deed(each, state) for each in newest) or "nobody has decided"
    if state == "pending":
        agree = sum(each["state"] == "approved" for each in newest)
        needed = f" ({agree} of {standing['needed']} approve)" if standing["needed"] > 1 else ""
        told += f"{needed}; {_what(version)}"
    return (
        (safe(state), STATES[state]) if state in STATES else safe(state),
        safe(f"{version['name']} {version['version']}"),
        safe(told),
    )


def _deed(decision: JsonObject, state: str) -> str:
    # What is the same as in the first column need not be said again.
    said = "" if decision["state"] == state else f" {decision['state']}"
    return f"{decision['by']}{said} on {decision['at'][:10]}: {decision['reason']}"


def _what(version: JsonObject) -> str:
    """What there is to decide about."""
    if version["predecessor"] is None:
        return f"first version, {risks(version)}"
    if version["highest"] is None:
        return f"the same as {version['predecessor']}"
    return f"{version['highest']} drift to {version['predecessor']}"
