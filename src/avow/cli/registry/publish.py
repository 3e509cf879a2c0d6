"""`avow registry publish`: sign a snapshot under a name and a version, send it, and check the receipt."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.options import format_option, lockfile_option, quiet_option
from avow.cli.output import write
from avow.cli.registry.asking import open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.errors import UsageError

if TYPE_CHECKING:
    from avow.core.snapshot import Snapshot

_KEY = "AVOW_KEY"


@click.command("publish", short_help=SUBCOMMANDS["publish"])
@click.argument("what", metavar="NAME|SNAPSHOT.json")
@click.option("--version", "version", required=True, metavar="V", help="The version it is published as.")
@click.option(
    "--as", "name", required=True, metavar="NAMESPACE/SERVER", help="The name: io.github.owner/files."
)
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"The private key of the namespace; {_KEY} names it unless given.",
)
@lockfile_option
@registry_option
@format_option("text", "json")
@quiet_option
def command(
    what: str,
    *,
    version: str,
    name: str,
    key: Path | None,
    lockfile: Path,
    registry: str,
    format_name: str,
    quiet: bool,
) -> int:
    """Publish a saved snapshot, or what the lockfile holds under a name.

    Exactly the same may be published again: nothing happens then. Another content needs another version.
    """
    from avow.cli.passphrases import open_private_key
    from avow.core import dsse
    from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload, read_publication
    from avow.system.registry_client.receipts import prove_receipt
    from avow.system.registry_client.remembered import Memory

    chosen = key or Path(os.environ.get(_KEY) or "")
    if not chosen.name:
        raise UsageError("which key signs?", hint="--key FILE; `avow keygen --out FILE` makes one")
    payload = publication_payload(ServerName.read(name), version, read_published(what, lockfile))
    signing = open_private_key(chosen)
    envelope = dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [signing]))
    with open_client(registry, needs_token=True) as client:
        receipt = client.publish(envelope)
        sent, signed_by, memory = read_publication(payload), signing.public.identifier, Memory.of(client.url)
        prove_receipt(client, memory, receipt, sent, signed_by, datetime.now(UTC))
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(receipt))
    elif not quiet:
        what_happened = "published" if receipt.get("isNew") else "was published before"
        write(
            f"{name} {version} {what_happened}: {receipt['digest']}, entry {receipt['logIndex']} of the log\n"
        )
    return 0


def read_published(what: str, lockfile: Path) -> "Snapshot":
    """The snapshot that a word means: that of a file, or of an entry of the lockfile.

    Raises:
        UsageError: it is neither.
        AvowError: it cannot be read.
    """
    from avow.system.lockfiles import read_lockfile
    from avow.system.snapshots import read_snapshot

    if what.endswith(".json"):
        return read_snapshot(Path(what))
    entries = read_lockfile(lockfile).servers
    if what not in entries:
        raise UsageError(
            f"{lockfile} has no entry {what!r}",
            hint="`avow inspect TARGET --save FILE.json` writes a snapshot",
        )
    return entries[what].snapshot
