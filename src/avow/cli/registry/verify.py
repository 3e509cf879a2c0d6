"""`avow registry verify`: are locked servers in the registry's log, and is it still the log we knew?"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avow.cli.failures import failure_lines
from avow.cli.options import format_option, lockfile_option, quiet_option
from avow.cli.output import write
from avow.cli.registry.asking import open_client, registry_option
from avow.cli.registry.group import SUBCOMMANDS
from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.errors import UsageError, VerificationError

if TYPE_CHECKING:
    from avow.core.canonical import Digest
    from avow.system.registry_client.client import RegistryClient
    from avow.system.registry_client.contact import Contact
    from avow.system.registry_client.witnessing import Witnessed

_INVALID = 1


@dataclass(frozen=True, slots=True)
class _Verified:
    """What was found; `read` counts the entries of each type, where all of them were read."""

    contact: "Contact"
    digests: "Mapping[str, Digest]"
    found: Mapping[str, list[JsonObject]]
    read: Mapping[str, int] | None
    seen: "tuple[Witnessed, ...]"


@click.command("verify", short_help=SUBCOMMANDS["verify"])
@click.argument("names", nargs=-1, metavar="[NAME|SNAPSHOT.json]…")
@click.option(
    "--log-key",
    metavar="KEY",
    help="The key of the log (origin+identifier+key); the first one seen unless given.",
)
@click.option("--whole", is_flag=True, help="Read every entry of the log, and compute its root from them.")
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="KEY",
    help="The key of somebody who watches the log and has to have signed it. Repeatable.",
)
@click.option(
    "--quorum",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many of the witnesses have to have signed; all unless given.",
)
@lockfile_option
@registry_option
@format_option("text", "json")
@quiet_option
def command(
    names: tuple[str, ...],
    *,
    log_key: str | None,
    whole: bool,
    witnesses: tuple[str, ...],
    quorum: int | None,
    lockfile: Path,
    registry: str,
    format_name: str,
    quiet: bool,
) -> int:
    """Check that what is locked was published, and that the log only grew since it was last seen.

    With --whole the log itself is read from its first entry to its last, and with --witness its checkpoints
    are compared with what others have signed; no lockfile is needed then.
    Exit 0 when all of it is in the log, 1 when something is not, or the log was changed.
    """
    from avow.core.tlog.notes import read_verifier_key
    from avow.system.registry_client.contact import meet
    from avow.system.registry_client.remembered import Memory
    from avow.system.registry_client.witnessing import require_witnesses

    keys = dict.fromkeys(map(read_verifier_key, witnesses))
    if quorum is not None and quorum > len(keys):
        raise UsageError(f"{quorum} of {len(keys)} witnesses cannot have signed", hint="--witness KEY")
    is_about_log = (whole or keys) and not names and not lockfile.exists()
    digests = {} if is_about_log else _digests(names, lockfile)
    now = datetime.now(UTC)
    with open_client(registry) as client:
        key, memory = None if log_key is None else read_verifier_key(log_key), Memory.of(client.url)
        try:
            contact = meet(client, memory, now, key=key)
            seen = require_witnesses(client, memory, contact, list(keys), quorum or len(keys), now)
            found = {name: _publications(client, contact, digest) for name, digest in digests.items()}
            read = _read_whole(client, contact) if whole else None
        except VerificationError as error:
            _tell_invalid(error, format_name)
            return _INVALID
    verified = _Verified(contact, digests, found, read, seen)
    if format_name == "json":
        _tell_document(verified)
    else:
        _tell(verified, now, quiet=quiet)
    return 0 if all(found.values()) else _INVALID


def _read_whole(client: "RegistryClient", contact: "Contact") -> Mapping[str, int]:
    from avow.system.registry_client.proving import verify_nothing_hidden, verify_whole_log

    whole = verify_whole_log(client, contact.checkpoint)
    verify_nothing_hidden(client, whole)
    return whole.types


def _digests(names: tuple[str, ...], lockfile: Path) -> "dict[str, Digest]":
    from avow.cli.registry.publish import read_published
    from avow.system.lockfiles import read_lockfile

    chosen = names or tuple(read_lockfile(lockfile).servers)
    return {name: read_published(name, lockfile).signature.digest for name in chosen}


def _publications(client: "RegistryClient", contact: "Contact", digest: "Digest") -> list[JsonObject]:
    from avow.system.registry_client.proving import verified_publications_of
    from avow.system.registry_client.transport import RefusedError

    try:
        proved = list(verified_publications_of(client, contact.checkpoint, digest))
    except RefusedError as error:
        if error.status != 404:
            raise
        proved = []
    return [
        {"name": entry.name, "version": entry.version, "logIndex": index, "publishedAt": entry.time}
        for entry, index in proved
    ]


def _tell_document(verified: _Verified) -> None:
    from avow.cli.output.json import dumps
    from avow.system.registry_client.remembered import write_time

    checkpoint = verified.contact.checkpoint.checkpoint
    servers = {
        name: {"digest": verified.digests[name], "verified": bool(there), "publications": there}
        for name, there in verified.found.items()
    }
    log: JsonObject = {"origin": checkpoint.origin, "size": checkpoint.size, "key": str(verified.contact.key)}
    if verified.read is not None:
        log["entries"] = dict(sorted(verified.read.items()))
    if verified.seen:
        log["witnesses"] = [
            {"name": each.key.name, "size": each.size, "at": write_time(each.at)} for each in verified.seen
        ]
    write(dumps({"valid": all(verified.found.values()), "log": log, "servers": servers}))


def _tell(verified: _Verified, now: datetime, *, quiet: bool) -> None:
    from avow.system.registry_standing import ago

    for name, there in verified.found.items():
        if not there:
            write(printable(f"{name}: nobody has published {verified.digests[name]}\n"))
        elif not quiet:
            where = ", ".join(
                f"{each['name']} {each['version']} (entry {each['logIndex']})" for each in there
            )
            write(printable(f"{name}: published as {where}\n"))
    if quiet:
        return
    contact = verified.contact
    checkpoint = contact.checkpoint.checkpoint
    if verified.read is not None:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(verified.read.items())) or "none"
        write(printable(f"every entry was read, and leads to the signed root: {counts}\n"))
    for each in verified.seen:
        when = ago(max(now - each.at, timedelta(0)))
        write(printable(f"{each.key.name} has signed the first {each.size} entries, {when} ago\n"))
    trust = f"; its key is trusted from now on: {contact.key}" if contact.is_first else ""
    write(printable(f"the log {checkpoint.origin} has {checkpoint.size} entries and only grew{trust}\n"))


def _tell_invalid(error: VerificationError, format_name: str) -> None:
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps({"valid": False, "message": error.message, "hint": error.hint}))
    else:
        sys.stderr.write(failure_lines(error.message, error.hint))
