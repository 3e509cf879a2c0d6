"""`avow gateway`: every locked server over Streamable HTTP, held to what was approved."""

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.approvals import RegistryOptions, registry_options
from avow.cli.failures import failure_lines
from avow.cli.main import COMMANDS
from avow.cli.options import environment_option, lockfile_option
from avow.cli.trusting import require_signature_option, trust_option, trusted_lockfile
from avow.core.lockfile import Entry, Lockfile
from avow.errors import AvowError, UsageError
from avow.proxy.contracts import hold_entry
from avow.proxy.settings import gate_policy
from avow.system.targets import read_given, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from avow.core.publication import ServerName
    from avow.proxy.gateway.serving import Beside

_MEGABYTE = 1024 * 1024
_NOT_APPROVED = 1


@click.command("gateway", short_help=COMMANDS["gateway"])
@click.argument("names", nargs=-1, metavar="[NAME]…")
@lockfile_option
@click.option("--listen", default="127.0.0.1:8740", show_default=True, metavar="HOST:PORT")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The bearer tokens of clients, one per line.",
)
@click.option("--allow-host", multiple=True, metavar="NAME", help="Answer to this host name too. Repeatable.")
@click.option(
    "--allow-origin", multiple=True, metavar="ORIGIN", help="Answer pages of this origin too. Repeatable."
)
@click.option(
    "--allow-unauthenticated", is_flag=True, help="Let everybody who reaches the address use every server."
)
@click.option(
    "--pass-authorization",
    multiple=True,
    metavar="NAME",
    help="Pass the client's Authorization header on to this HTTP server. Repeatable.",
)
@click.option("--max-sessions", type=click.IntRange(1), default=256, show_default=True)
@click.option(
    "--session-idle", type=click.FloatRange(1), default=1800, show_default=True, metavar="SECONDS",
    help="End a session, or a server, that nobody has used for so long.",
)  # fmt: skip
@click.option("--max-body", type=click.IntRange(1), default=16, show_default=True, metavar="MEGABYTES")
@click.option("--audit", is_flag=True, help="Forward everything, and log what would have been blocked.")
@click.option("--log", "log_path", type=click.Path(path_type=Path), metavar="FILE", help="Where events go.")
@require_signature_option
@trust_option
@environment_option
@click.option("--preset", default="", metavar="NAME", help="The preset of avow.toml to start servers with.")
@registry_options
@click.option(
    "--ask-again", type=click.FloatRange(1), default=300, show_default=True, metavar="SECONDS",
    help="With --environment: how often to ask the registry whether the servers are still approved.",
)  # fmt: skip
def command(
    names: tuple[str, ...],
    *,
    lockfile: Path,
    listen: str,
    token_file: Path | None,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    allow_unauthenticated: bool,
    pass_authorization: tuple[str, ...],
    max_sessions: int,
    session_idle: float,
    max_body: int,
    audit: bool,
    log_path: Path | None,
    require_signature: bool,
    trust: tuple[str, ...],
    environment: tuple[str, ...],
    preset: str,
    held: RegistryOptions,
    ask_again: float,
) -> int:
    """Serve every locked server, or those named, at http://HOST:PORT/NAME/mcp behind the gate.

    With --environment they have to be approved there in a registry: one that is not is answered with the
    reason, and one that no longer is when the registry is asked again is served no more.
    """
    # Late: most commands have no use for a web server.
    from avow.proxy.gateway import composing, serving
    from avow.proxy.gateway.app import Bounds
    from avow.system.http_server import listen as listen_on

    host, port = _address(listen)
    approved = trusted_lockfile(lockfile, trust, signed=require_signature)
    for name in (*names, *pass_authorization):
        if name not in approved.servers:
            raise unknown(name, approved.servers, f"{lockfile} has no entry {name!r}")
    options = composing.Options(
        host=host,
        token_file=token_file,
        allow_hosts=allow_host,
        allow_origins=allow_origin,
        allow_unauthenticated=allow_unauthenticated,
        pass_authorization=frozenset(pass_authorization),
        most_sessions=max_sessions,
        idle_seconds=session_idle,
        bounds=Bounds(body_bytes=max_body * _MEGABYTE),
        log=log_path,
        settings=None if require_signature else lockfile,
        preset=preset,
    )
    policy = gate_policy(lockfile, signed=require_signature)
    settings = None if require_signature else lockfile
    locked = _chosen(approved, names)
    registered = held.names(locked, settings)
    chosen, refused = _approved(locked, held, registered) if registered else (locked, {})
    for name, error in refused.items():
        sys.stderr.write(failure_lines(f"{name} is not served: {error.message}", error.hint))
    if not chosen:
        return _NOT_APPROVED
    servers = [
        hold_entry(name, chosen.get(name, entry), replace(policy, audit=policy.audit or audit))
        for name, entry in locked.items()
    ]
    gateway = composing.compose(servers, options, read_given(environment, (), os.environ).environment)
    for name, error in refused.items():
        gateway.refuse(name, error)
    listening = listen_on(host, port)
    port = listening.getsockname()[1]
    for name in chosen:
        click.echo(f"http://{f'[{host}]' if ':' in host else host}:{port}/{name}/mcp")
    serving.serve(gateway, listening, _asking_again(chosen, held, registered, ask_again))
    return 0


def _chosen(approved: Lockfile, names: tuple[str, ...]) -> dict[str, Entry]:
    chosen = {name: entry for name, entry in approved.servers.items() if not names or name in names}
    if not chosen:
        raise UsageError("no server is approved, so there is none to serve", hint="approve one: `avow lock`")
    return chosen


def _approved(
    chosen: dict[str, Entry], held: RegistryOptions, names: "Mapping[str, ServerName]"
) -> tuple[dict[str, Entry], dict[str, AvowError]]:
    """The same servers, as they are approved in a registry; and why the others are not."""
    # Late, since most gateways hold servers to a lockfile alone.
    from avow.cli.held_choice import approved_entry
    from avow.system.registry_standing import NotApprovedError

    found: dict[str, Entry] = {}
    refused: dict[str, AvowError] = {}
    for name, entry in chosen.items():
        try:
            found[name], standing = approved_entry(held, names[name], entry.snapshot.target, entry)
        except NotApprovedError as error:
            refused[name] = error
        else:
            click.echo(f"{name}: {standing.told}", err=True)
    return found, refused


def _asking_again(
    chosen: dict[str, Entry], held: RegistryOptions, names: "Mapping[str, ServerName]", seconds: float
) -> "Beside | None":
    if not names:
        return None
    from avow.cli.held_gateway import Served, keep_asking

    served = [Served(name, names[name], entry.snapshot.signature.digest) for name, entry in chosen.items()]
    return partial(keep_asking, held, served, seconds)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535 or not host:
        raise UsageError(f"--listen wants HOST:PORT, not {text!r}", hint="for example 127.0.0.1:8740")
    return host.strip("[]"), int(port)
