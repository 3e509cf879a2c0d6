"""`avow registry token`: make, list, revoke and keep tokens."""

import sys

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.asking import address_of, administration, keep_token, registry_option
from avow.cli.registry.group import group_of
from avow.cli.registry.tables import GOOD, print_list, safe
from avow.core.printable import printable
from avow.errors import UsageError
from avow.system.registry_client.answers import understood


@group_of("token")
def command() -> None:
    """Make, list, revoke and keep tokens; each belongs to a person and has one role."""


@command.command("add")
@click.argument("person")
@click.option("--role", type=click.Choice(["read", "publish", "approve", "administer"]), required=True)
@registry_option
@format_option("text", "json")
@understood()
def add(person: str, *, role: str, registry: str, format_name: str) -> int:
    """Make a token for a person; it is shown this once."""
    from avow.cli.registry.words import read_person

    with administration(registry, needs_token=True) as client:
        made = client.add_token(read_person(person), role)
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(made))
    else:
        write(printable(f"{made['token']}\n"))
        if sys.stderr.isatty():
            click.echo(f"it is {person}'s, and shown this once: AVOW_REGISTRY_TOKEN holds it", err=True)
    return 0


@command.command("list")
@registry_option
@format_option("text", "json")
@understood()
def list_tokens(*, registry: str, format_name: str) -> int:
    """List all tokens, without their secrets."""
    with administration(registry, needs_token=True) as client:
        found = client.tokens()
    rows = [
        (
            safe(each["id"]),
            safe(each["role"]),
            ("revoked", "dim") if each["revokedAt"] else ("valid", GOOD),
            each["createdAt"][:10],
            safe(each["person"]),
        )
        for each in found["tokens"]
    ]
    return print_list(found, format_name, ("ID", "ROLE", "STATE", "SINCE", "PERSON"), rows, "no tokens")


@command.command("revoke")
@click.argument("identifier", metavar="ID")
@registry_option
def revoke(identifier: str, *, registry: str) -> int:
    """End a token, by the identifier that `list` shows."""
    from avow.cli.registry.words import read_identifier

    with administration(registry, needs_token=True) as client:
        client.revoke_token(read_identifier(identifier, "avow registry token list"))
    return 0


@command.command("keep")
@registry_option
def keep(*, registry: str) -> int:
    """Keep a token in the store of secrets, so that no variable has to hold it."""
    address = address_of(registry)
    if sys.stdin.isatty():
        token = str(click.prompt(f"Token for {address}", hide_input=True, err=True))
    else:
        token = sys.stdin.readline()
    if not token.strip():
        raise UsageError("no token was given", hint="type it, or send it to standard input")
    write(printable(f"kept in {keep_token(address, token.strip())}\n"))
    return 0
