"""The publication behind an approval: what people looked at, and not something of the same name.

An approval names a version and the digest of its signature. The snapshot holds more than that; which one was
meant is told by the log: the one that was there when the version was approved first.
"""

from pathlib import Path
from typing import Final

from avow.core.canonical import canonical, parse_json
from avow.core.publication import MAX_PAYLOAD, Publication, ServerName, read_publication
from avow.core.readable_json import readable_json
from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.errors import StorageError, UntrustedKeyError, VerificationError
from avow.system.alone import alone_in
from avow.system.files import read_bounded
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import refusal
from avow.system.registry_client.known_log import KnownLog
from avow.system.registry_client.proving import VerifiedPublication, verified_publication
from avow.system.registry_client.remembered import Memory, place, reading

_MAX_FILE: Final = 16 * 1024 * 1024


def approved_publication(
    client: RegistryClient,
    memory: Memory,
    checkpoint: VerifiedCheckpoint,
    known: KnownLog,
    name: ServerName,
    version: str,
    digest: str,
    approved_at: int,
) -> Publication:
    """What was published as a version that was approved first by the entry `approved_at`; it is kept.

    Raises:
        ForkError: it was something else the last time.
        VerificationError: it is not what was approved, or its key was none of the namespace's.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer, or nothing can be kept.
    """
    shown = verified_publication(client, checkpoint, name, version)
    if shown.entry.digest != digest:
        raise VerificationError(f"{name} {version} was published with another digest than approved")
    if shown.index > approved_at:
        raise VerificationError(
            f"{client.url} shows entry {shown.index} of its log as {name} {version}, which was approved "
            f"before that, by entry {approved_at}",
            hint="a version is published once: ask the operator where the first one is",
        )
    # None: not all that came before it was read yet, which the answer says.
    if known.had_key(name.namespace, shown.entry.key, shown.index) is False:
        raise UntrustedKeyError(
            f"the log does not say that the key of {name} {version} belonged to {name.namespace}",
            hint="do not use it: somebody published in a namespace that is not theirs",
        )
    _require_same(client, memory, checkpoint, shown)
    memory.write(_publication_file(memory, shown.entry.content), canonical(shown.publication.document))
    return shown.publication


def kept_publication(memory: Memory, content: str) -> Publication:
    """A publication that was kept.

    Raises:
        AvowError, ValueError: it cannot be read, or is another one.
    """
    if not content.removeprefix("sha256:").isalnum():
        raise ValueError("not a digest")
    found = read_publication(read_bounded(_publication_file(memory, content), MAX_PAYLOAD))
    if found.content != content:
        raise ValueError("another publication")
    return found


def _require_same(
    client: RegistryClient, memory: Memory, checkpoint: VerifiedCheckpoint, shown: VerifiedPublication
) -> None:
    """A version has one content, for good: remember it, or compare it with what is remembered."""
    entry, file = shown.entry, memory.directory / "contents" / f"{place(shown.entry.name, '')}.json"
    with alone_in(memory.directory):
        contents = _recall(file, entry.name)
        before = contents.setdefault(entry.version, entry.content)
        if before != entry.content:
            what = f"it shows another content of {entry.name} {entry.version} than before"
            raise refusal(client, memory, checkpoint, what, {"before": before, "now": entry.content})
        memory.write(file, readable_json({"avow": 1, "name": entry.name, "contents": contents}))


def _recall(file: Path, name: str) -> dict[str, str]:
    if not file.exists():
        return {}
    damaged = StorageError(
        f"what is remembered of the versions of {name} in {file} is damaged",
        hint="restore the file; removing it means trusting the registry anew",
    )
    with reading(damaged):
        contents = parse_json(read_bounded(file, _MAX_FILE))["contents"]
        return {str(version): str(content) for version, content in contents.items()}


def _publication_file(memory: Memory, content: str) -> Path:
    return memory.directory / "publications" / f"{content.removeprefix('sha256:')}.json"
