"""`avow keygen`: make a key to sign lockfiles and snapshots with."""

from pathlib import Path

import click

from avow.cli.output import write
from avow.cli.passphrases import new_passphrase
from avow.system.keys import generate_key, write_key_pair


@click.command("keygen")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Where to write the private key; the public one goes beside it as FILE.pub.",
)
@click.option(
    "--passphrase",
    "ask",
    is_flag=True,
    help="Ask for a passphrase to encrypt it; AVOW_KEY_PASSPHRASE gives one.",
)
def command(out: Path, *, ask: bool) -> int:
    """Make an Ed25519 key pair: a private key for you alone, and a public one for those who trust you."""
    key = generate_key()
    public = write_key_pair(out, key, new_passphrase(ask=ask))
    write(f"{out} is the private key: keep it to yourself\n")
    write(f"{public} is the public key {key.public.identifier}\n")
    return 0
