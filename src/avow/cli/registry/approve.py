"""`avow registry approve`, `reject` and `take-back`: decide about a version somewhere, with a reason."""

import sys

import click

from avow.cli.failures import DECLINED
from avow.cli.options import format_option
from avow.cli.output import write
from avow.cli.registry.asking import administration, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.core.tlog.decisions import newest_of_each
from avow.errors import UsageError
from avow.system.registry_client.answers import understood

USUAL = "production"
"""The environment that is there before anybody has set one up."""


def _decision(state: str, name: str) -> click.Command:
    @click.command(name, short_help=SUBCOMMANDS[name])
    @click.argument("server", metavar="NAMESPACE/SERVER")
    @click.argument("version", metavar="VERSION")
    @click.option("--environment", required=True, metavar="NAME", help="Where: production.")
    @click.option("--reason", required=True, metavar="TEXT", help="Why; it goes into the log.")
    @click.option(
        "--digest", metavar="sha256:…", help="What you looked at: refused if the version has another."
    )
    @click.option("--new", "is_new", is_flag=True, help="The environment may be one that is not there yet.")
    @registry_option
    @format_option("text", "json")
    @understood()
    def command(
        server: str,
        version: str,
        *,
        environment: str,
        reason: str,
        digest: str | None,
        is_new: bool,
        registry: str,
        format_name: str,
    ) -> int:
        from avow.cli.registry.words import read_digest, read_environment, read_reason

        decision = {
            "name": server,
            "version": version,
            "environment": read_environment(environment),
            "state": state,
            "reason": read_reason(reason),
        }
        if digest is not None:
            decision["digest"] = read_digest(digest)
        if not is_new and not _is_meant(environment, registry):
            return DECLINED
        with administration(registry, needs_token=True) as client:
            standing = client.decide(decision)
        if format_name == "json":
            from avow.cli.output.json import dumps

            write(dumps(standing))
        else:
            write(printable(_told(standing, f"{server} {_exact(standing, version)}", state)))
        return 0

    command.help = f"{SUBCOMMANDS[name]} The decision is yours by name, and stays in the log for good."
    return command


def _is_meant(environment: str, registry: str) -> bool:
    """Whether to decide there: a decision is for good, and a name nobody has used is probably a mistake.

    Raises:
        UsageError: there is no such environment, and nobody is there to say that it is meant.
    """
    with administration(registry, needs_token=True) as client:
        there = [each["name"] for each in client.environments()["environments"]]
    if environment in (*there, USUAL):
        return True
    from difflib import get_close_matches

    known = ", ".join(printable(each, 80) for each in there) or f"none but {USUAL}"
    message = f"there is no environment {environment!r} yet (there are: {known})"
    close = get_close_matches(environment, {*there, USUAL}, n=1)
    if sys.stdin.isatty() and sys.stderr.isatty():
        return click.confirm(f"{message}. Is it meant?", err=True)
    meant = f"did you mean {printable(close[0], 80)}? " if close else ""
    raise UsageError(message, hint=f"{meant}--new if a new one is meant")


def _exact(standing: JsonObject, version: str) -> str:
    """The version that was decided about, where `latest` was asked for."""
    made = standing["decisions"]
    return str(made[-1]["version"]) if made else version


def _told(standing: JsonObject, what: str, state: str) -> str:
    where, made = standing["environment"], standing["decisions"]
    newest = newest_of_each(made, lambda each: each["by"]).values()
    agree = sum(each["state"] == "approved" for each in newest)
    stands = f"{what} is {standing['state']} in {where}"
    if standing["needed"] > 1:
        stands += f" ({agree} of {standing['needed']} approve)"
    if not standing["isNew"]:
        return f"{_NOTHING_NEW[state]}; {stands}\n"
    against = [each["by"] for each in newest if each["state"] == "rejected"]
    if state != "rejected" and against:
        stands += f": {', '.join(against)} rejected it, and would have to take that back"
    elif state == "approved" and standing["state"] == "pending":
        stands += ": another person has to approve it"
    return f"{stands}; entry {made[-1]['logIndex']} of the log\n"


_NOTHING_NEW = {
    "approved": "nothing new: you have approved it with these words before",
    "rejected": "nothing new: you have rejected it with these words before",
    "pending": "nothing to take back: no decision of yours stands",
}

approve_command = _decision("approved", "approve")
reject_command = _decision("rejected", "reject")
take_back_command = _decision("pending", "take-back")
