"""`avow run`: a stdio server for any MCP client, held to what was approved."""

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.approvals import RegistryOptions, registry_options
from avow.cli.main import COMMANDS
from avow.cli.options import CommandWithServer, environment_option, lockfile_option, server_command
from avow.cli.trusting import require_signature_option, trust_option, trusted_lockfile
from avow.core.lockfile import Lockfile
from avow.errors import AvowError, UsageError
from avow.proxy.choosing import Chosen, Holding, choose_command, choose_entry
from avow.proxy.ending import Ending
from avow.proxy.stdio import refuse_session, run_session, started
from avow.system.configuration.starting import Start, prepare

if TYPE_CHECKING:
    from avow.protocol.events import Event
    from avow.proxy.departing import Departure

_NOT_APPROVED = 1
_SERVER_FAILED = 2


@click.command("run", cls=CommandWithServer, short_help=COMMANDS["run"])
@click.argument("entry", required=False, metavar="[NAME]")
@lockfile_option
@click.option("--name", metavar="NAME", help="With a command: the entry that approves it.")
@click.option(
    "--contract",
    type=click.Choice([str(holding) for holding in Holding]),
    help="What the session is held to: an entry if there is one, else the first lists.",
)
@click.option("--audit", is_flag=True, help="Forward everything, and log what would have been blocked.")
@click.option("--log", "log_path", type=click.Path(path_type=Path), metavar="FILE", help="Where events go.")
@require_signature_option
@trust_option
@environment_option
@click.option("--preset", default="", metavar="NAME", help="The preset of avow.toml to start it with.")
@registry_options
@click.pass_context
def command(
    ctx: click.Context,
    entry: str | None,
    *,
    lockfile: Path,
    name: str | None,
    contract: str | None,
    audit: bool,
    log_path: Path | None,
    require_signature: bool,
    trust: tuple[str, ...],
    environment: tuple[str, ...],
    preset: str,
    held: RegistryOptions,
) -> int:
    """Start a locked server behind the gate, on standard input and output.

    This is what an MCP client's configuration starts instead of the server itself. With --environment it
    starts only what is approved there in a registry, and holds it to that.
    """
    try:
        values = _values(environment)
        approved = _approved(lockfile, trust, signed=require_signature, needed=entry is not None)
        # A signature is of no use to a session that is held to something else.
        holding = Holding(contract) if contract else Holding.LOCK if require_signature else None
        chosen = _chosen(entry, name, server_command(ctx), values, approved, lockfile, holding)
        # Where the lockfile has to be signed nothing unsigned says which its servers are, or how they start.
        settings = None if require_signature else lockfile
        found = _held(chosen, held, holding, settings)
        if isinstance(found, AvowError):
            return _refuse(found, _NOT_APPROVED)
        chosen, told = found
        ready = prepare(Start(chosen.name, chosen.target, chosen.declared, settings, preset), values)
        if isinstance(ready, AvowError):
            return _refuse(ready, _SERVER_FAILED)
        with started(chosen, values, ready) as running:
            # Late: the server starts up while these are loaded.
            from avow.proxy.log import EventLog, not_locked
            from avow.proxy.settings import gate_policy

            policy = gate_policy(lockfile, signed=require_signature)
            log = EventLog(chosen.name, log_path)
            if chosen.entry is None:
                log.write([not_locked(chosen.name)])
            try:
                log.write(told)
                applied = replace(policy, audit=policy.audit or audit)
                ending = run_session(
                    running, chosen, applied, log.write, explain=partial(_explain, chosen, values)
                )
            finally:
                log.close()
    except AvowError as error:
        refuse_session(error)
        raise
    return _SERVER_FAILED if ending in (Ending.SERVER_GONE, Ending.REFUSED) else 0


def _explain(chosen: Chosen, values: Mapping[str, str], departure: "Departure") -> str:
    """Why a server left before it had answered: its own words, and what it needs if that can be told."""
    # Late, like everything that only a failure needs.
    from avow.proxy.departing import quote_words
    from avow.system.diagnosis.explaining import remedy
    from avow.system.targets import Given, reach

    words = departure.errors or departure.output
    reachable = replace(
        reach(chosen.target, Given(values)), name=chosen.name if chosen.entry is not None else ""
    )
    advice = remedy(reachable, words, departure.exit_code)
    return f"{quote_words(departure)}{f' ({advice})' if advice else ''}"


def _refuse(error: AvowError, code: int) -> int:
    """Say at once what is missing, and answer the client with it for as long as it stays."""
    # Late, like everything that only a failure needs.
    from avow.cli.failures import failure_lines

    sys.stderr.write(failure_lines(error.message, error.hint))
    sys.stderr.flush()
    refuse_session(error, stay=True)
    return code


def _held(
    chosen: Chosen, held: RegistryOptions, holding: Holding | None, settings: Path | None
) -> "tuple[Chosen, list[Event]] | AvowError":
    """The same server, held to what is approved for it in a registry when that is asked for."""
    names = held.names([chosen.name], settings)
    if not names:
        return chosen, []
    if holding not in (None, Holding.LOCK):
        raise UsageError(
            f"a session is held to what is approved in {held.approved_in}, or to what --contract says",
            hint="leave out one of them",
        )
    # Late, since most sessions are held to a lockfile alone.
    from avow.cli.held_choice import approval_event, approved_entry
    from avow.system.registry_standing import NotApprovedError

    try:
        entry, standing = approved_entry(held, names[chosen.name], chosen.target, chosen.entry)
    except NotApprovedError as error:
        return error
    return chosen._replace(entry=entry, holding=Holding.LOCK), [approval_event(standing)]


def _values(options: tuple[str, ...]) -> Mapping[str, str]:
    """The values to pass on; a name without one is left out, since a client may name more than it has."""
    present = [option for option in options if "=" in option or option in os.environ]
    if not present:
        return {}
    from avow.system.targets import read_given

    return read_given(present, (), os.environ).environment


def _chosen(
    entry: str | None,
    name: str | None,
    server: tuple[str, ...],
    values: Mapping[str, str],
    approved: Lockfile | None,
    lockfile: Path,
    holding: Holding | None,
) -> Chosen:
    if entry is not None and (server or name):
        raise UsageError(
            "a NAME starts the command of its entry: leave out the command, or say --name NAME -- COMMAND"
        )
    if server:
        return choose_command(name, server, values, approved, lockfile, holding)
    if entry is None or approved is None:
        raise UsageError("nothing to run", hint="`avow run NAME`, or `avow run -- COMMAND ARG…`")
    if entry not in approved.servers:
        from avow.system.targets import unknown

        raise unknown(entry, approved.servers, f"{lockfile} has no entry {entry!r}")
    return choose_entry(entry, approved.servers[entry], holding)


def _approved(lockfile: Path, trust: tuple[str, ...], *, signed: bool, needed: bool) -> Lockfile | None:
    """The lockfile; None where there is none and none is needed."""
    if not (needed or signed or trust or lockfile.exists()):
        return None
    return trusted_lockfile(lockfile, trust, signed=signed)
