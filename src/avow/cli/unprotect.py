"""`avow unprotect`: give client configurations back the commands that `avow protect` put behind the gate."""

from pathlib import Path

import click

from avow.cli.options import format_option, quiet_option
from avow.cli.protect import (
    Telling,
    backups_here,
    client_option,
    config_option,
    names_argument,
    read_client_files,
    settle,
    yes_option,
)
from avow.proxy.protect import plan_removal


@click.command("unprotect")
@names_argument
@config_option
@client_option
@yes_option
@format_option("text", "json")
@quiet_option
def command(
    names: tuple[str, ...],
    *,
    config: Path | None,
    client: str | None,
    yes: bool,
    format_name: str,
    quiet: bool,
) -> int:
    """Undo `avow protect`, byte for byte where nobody has edited the file since."""
    files = read_client_files(config)
    backups = backups_here()
    plan = plan_removal(files, backups=backups, names=names, client=client or "")
    telling = Telling("unprotected", text=format_name == "text", quiet=quiet)
    return settle(plan, files, backups, telling, yes=yes)
