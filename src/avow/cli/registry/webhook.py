"""`avow registry webhook`: addresses that are told of drift, each with a secret that signs it."""

import sys

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.output.console import Part
from avow.cli.registry.asking import administration, level_option, registry_option
from avow.cli.registry.group import group_of
from avow.cli.registry.tables import BAD, GOOD, print_list, safe
from avow.cli.registry.tables import level as coloured
from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.system.registry_client.answers import understood

_NOT_DELIVERED = 1


@group_of("webhook")
def command() -> None:
    """Have other services told of drift, signed and at least once; needs a token with the role publish."""


@command.command("add")
@click.argument("url")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="NAMESPACE/SERVER|NAMESPACE/*",
    help="Only of changes in this. Repeatable; everything unless given.",
)
@level_option("critical")
@registry_option
@format_option("text", "json")
@understood()
def add(url: str, *, targets: tuple[str, ...], level: str, registry: str, format_name: str) -> int:
    """Have an address told of drift from now on; the secret that signs is shown this once.

    Standard output gets the secret and nothing else, to be sent where the receiver keeps its own.
    """
    with administration(registry, needs_token=True) as client:
        made = client.add_webhook(url, targets, level)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(made))
        return 0
    identifier = safe(made["id"])
    sys.stderr.write(
        printable(
            f"webhook {identifier} is told of drift from {level} on; its secret, shown this once, is on "
            f"standard output. Try it: avow registry webhook test {identifier}\n"
        )
    )
    write(printable(f"{made['secret']}\n"))
    return 0


@command.command("list")
@registry_option
@format_option("text", "json")
@understood()
def list_webhooks(*, registry: str, format_name: str) -> int:
    """Show your webhooks, without their secrets, and how telling them goes."""
    with administration(registry, needs_token=True) as client:
        found = client.webhooks()
    rows = [
        (
            safe(each["id"]),
            coloured(each["level"]),
            safe(", ".join(each["targets"])) or "everything",
            safe(each["url"]),
            _state(each),
        )
        for each in found["webhooks"]
    ]
    titles = ("ID", "LEVEL", "TARGETS", "URL", "STATE")
    return print_list(found, format_name, titles, rows, "no webhooks: `avow registry webhook add URL`")


@command.command("remove")
@click.argument("identifier", metavar="ID")
@registry_option
def remove(identifier: str, *, registry: str) -> int:
    """Tell an address no more, by the identifier that `list` shows."""
    with administration(registry, needs_token=True) as client:
        client.remove_webhook(_identifier(identifier))
    return 0


@command.command("test")
@click.argument("identifier", metavar="ID")
@registry_option
@format_option("text", "json")
@understood()
def test(identifier: str, *, registry: str, format_name: str) -> int:
    """Send a signed message of the event `test` now; exit 1 when it was not taken."""
    with administration(registry, needs_token=True) as client:
        found = client.test_webhook(_identifier(identifier))
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(found))
    elif found["delivered"]:
        write(printable(f"{identifier} took it\n"))
    else:
        write(printable(f"{identifier} did not take it: {safe(found['error'])}\n"))
    return 0 if found["delivered"] else _NOT_DELIVERED


def _state(webhook: JsonObject) -> Part:
    if not webhook["attempts"]:
        return ("well", GOOD)
    again = f", again at {webhook['nextAttemptAt'][:19]}Z" if webhook["nextAttemptAt"] else ""
    return (f"failed {webhook['attempts']} times: {safe(webhook['lastError'])}{again}", BAD)


def _identifier(text: str) -> str:
    from avow.cli.registry.words import read_identifier

    return read_identifier(text, "avow registry webhook list")
