"""`avow registry publish`: sign a snapshot under a name and a version, send it, and check the receipt."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.options import format_option, lockfile_option, quiet_option
from avow.cli.output import write
from avow.cli.registry.asking import administration, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.cli.registry.tables import drift_counts, risks
from avow.core.printable import printable
from avow.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from avow.core.canonical import JsonObject
    from avow.core.snapshot import Snapshot
    from avow.system.registry_client.administration import RegistryAdministration

_KEY = "AVOW_KEY"
_ALIKE = 0.8
"""From which ratio on a name is taken for a misspelled one: one letter too many, missing, or wrong."""


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
@click.option(
    "--claim", is_flag=True, help="Nobody may have the namespace yet: it is the key's from then on."
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
    claim: bool,
    lockfile: Path,
    registry: str,
    format_name: str,
    quiet: bool,
) -> int:
    """Publish a saved snapshot, or what the lockfile holds under a name.

    Exactly the same may be published again: nothing happens then. Another content needs another version.
    An administrator's first publication to a namespace that nobody has gives it to the key that signs.
    """
    from avow.cli.passphrases import open_private_key
    from avow.cli.registry.words import read_new_version
    from avow.core import dsse
    from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload, read_publication
    from avow.system.registry_client.receipts import prove_receipt
    from avow.system.registry_client.remembered import Memory

    chosen = key or Path(os.environ.get(_KEY) or "")
    if not chosen.name:
        raise UsageError("which key signs?", hint="--key FILE; `avow keygen --out FILE` makes one")
    server = ServerName.read(name)
    payload = publication_payload(server, read_new_version(version), read_published(what, lockfile))
    signing = open_private_key(chosen)
    envelope = dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [signing]))
    with administration(registry, needs_token=True) as client:
        is_claim = _is_free(client, server.namespace, signing.public.identifier, chosen, claim=claim)
        receipt = client.publish(envelope)
        sent, signed_by, memory = read_publication(payload), signing.public.identifier, Memory.of(client.url)
        prove_receipt(client, memory, receipt, sent, signed_by, datetime.now(UTC))
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(receipt))
    elif not quiet:
        write(printable("".join(f"{each}\n" for each in _told(receipt))))
        if is_claim:
            owner = signing.public.identifier
            sys.stderr.write(f"nobody had {server.namespace}: it belongs to {owner} from now on\n")
    return 0


def _is_free(
    client: "RegistryAdministration", namespace: str, signer: str, key: Path, *, claim: bool
) -> bool:
    """Whether nobody has a namespace, so that publishing claims it.

    Raises:
        UsageError: somebody has it, and not with this key; or it looks like a misspelled one.
    """
    from avow.system.registry_client.transport import RefusedError

    try:
        found = client.namespace(namespace)
    except RefusedError as error:
        if error.status != 404:
            raise
        if not claim:
            _refuse_a_slip(client, namespace, key)
        return True
    known = {each["id"]: each["revokedAt"] for each in found["keys"]}
    if signer in known and known[signer] is None:
        return False
    if signer in known:
        raise UsageError(
            f"{key} was revoked in {namespace} on {known[signer][:10]}, and stays so",
            hint=f"sign with another: `avow registry namespace show {namespace}` lists its keys",
        )
    adding = f"avow registry namespace keys {namespace} --add {key}.pub --key THEIRS"
    raise UsageError(f"{key} is not a key of {namespace}", hint=f"whoever holds one adds it: {adding}")


def _refuse_a_slip(client: "RegistryAdministration", namespace: str, key: Path) -> None:
    """A claim is for good: where the name is almost another's, somebody has to say that it is meant."""
    from difflib import SequenceMatcher

    parent, _, last = namespace.rpartition(".")
    for each in client.namespaces()["namespaces"]:
        beside, _, other = str(each["namespace"]).rpartition(".")
        if parent == beside and SequenceMatcher(None, last, other).ratio() >= _ALIKE:
            raise UsageError(
                f"nobody has {namespace}; did you mean {printable(each['namespace'], 200)}?",
                hint=f"--claim gives it to {key} for good, if it is meant",
            )


def _told(receipt: "JsonObject") -> "Iterator[str]":
    """What happened, what was published, and what comes next."""
    name, version, published = receipt["name"], receipt["version"], receipt["published"]
    what_happened = "published" if receipt.get("isNew") else "was published before"
    yield f"{name} {version} {what_happened}: {receipt['digest']}, entry {receipt['logIndex']} of the log"
    before = published["predecessor"]
    drift = f"{drift_counts(published)} since {before}" if before else "its first version"
    yield f"it offers {risks(published)} ({drift})"
    if receipt.get("isNew"):
        yield (
            f"next: people decide about it, avow registry approve {name} {version} "
            "--environment production --reason …"
        )


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
    if not lockfile.exists():
        raise UsageError(
            f"{what!r} is neither a FILE.json nor in a lockfile: there is no {lockfile}",
            hint="`avow inspect TARGET --save FILE.json` writes a snapshot",
        )
    entries = read_lockfile(lockfile).servers
    if what not in entries:
        raise UsageError(
            f"{lockfile} has no entry {what!r}",
            hint="`avow inspect TARGET --save FILE.json` writes a snapshot",
        )
    return entries[what].snapshot
