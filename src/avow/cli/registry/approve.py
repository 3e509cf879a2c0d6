"""`avow registry approve` and `reject`: decide about a version in an environment, with a reason."""

import click

from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.asking import open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.core.printable import printable


def _decision(state: str, name: str) -> click.Command:
    @click.command(name, short_help=SUBCOMMANDS[name])
    @click.argument("server", metavar="NAMESPACE/SERVER")
    @click.argument("version", metavar="VERSION")
    @click.option("--environment", required=True, metavar="NAME", help="Where: production.")
    @click.option("--reason", required=True, metavar="TEXT", help="Why; it goes into the log.")
    @click.option(
        "--digest", metavar="sha256:…", help="What you looked at: refused if the version has another."
    )
    @registry_option
    @format_option("text", "json")
    def command(
        server: str,
        version: str,
        *,
        environment: str,
        reason: str,
        digest: str | None,
        registry: str,
        format_name: str,
    ) -> int:
        decision = {
            "name": server,
            "version": version,
            "environment": environment,
            "state": state,
            "reason": reason,
        }
        if digest is not None:
            decision["digest"] = digest
        with open_client(registry, needs_token=True) as client:
            standing = client.decide(decision)
        if format_name == "json":
            from avow.cli.output.json import dumps

            write(dumps(standing))
        else:
            people = len({each["by"] for each in standing["decisions"] if each["state"] == "approved"})
            needed = f" ({people} of {standing['needed']} approve)" if standing["needed"] > 1 else ""
            write(printable(f"{server} {version} is {standing['state']} in {environment}{needed}\n"))
        return 0

    command.help = f"{SUBCOMMANDS[name]} The decision is yours by name, and stays in the log for good."
    return command


approve_command = _decision("approved", "approve")
reject_command = _decision("rejected", "reject")
