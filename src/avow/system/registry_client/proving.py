"""What a registry says about publications and decisions, proved by its log or refused."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from avow.core import dsse
from avow.core.canonical import Digest, JsonObject, JsonValue
from avow.core.keys import KeyId
from avow.core.publication import PUBLICATION_TYPE, Publication, ServerName, read_publication
from avow.core.tlog import entry as entries
from avow.core.tlog.auditing import verify_tiles
from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.core.tlog.entry import ApprovalEntry, Entry, PublicationEntry
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.proofs import verify_inclusion
from avow.core.tlog.tiles import Bundle, Served, read_bundle
from avow.errors import MalformedInputError, PeerProtocolError, VerificationError
from avow.system.registry_client.client import RegistryClient

MAX_PAGES: Final = 200
MAX_DECISIONS: Final = 10_000
"""How many decisions about one server in one environment are proved, each with a question of its own."""

UNKNOWN_TYPE: Final = "unknown"

E = TypeVar("E", PublicationEntry, ApprovalEntry)


@dataclass(frozen=True, slots=True)
class VerifiedPublication:
    """What somebody published: signed by the key in the entry, and in the log at this index."""

    publication: Publication
    entry: PublicationEntry
    index: int


@dataclass(frozen=True, slots=True)
class WholeLog:
    """How many entries of which type a log has, and where it decides about which servers.

    Entries of a format to come are of the type `unknown`.
    """

    types: Counter[str]
    decisions: dict[str, set[int]]


def verified_entry(client: RegistryClient, checkpoint: VerifiedCheckpoint, index: int) -> Entry:
    """The entry at an index of the log.

    Raises:
        VerificationError: it is not there.
        MalformedInputError: it is no entry, or the answer no proof.
        UnavailableError: the registry does not answer.
    """
    return entries.loads(_verified_bytes(client, checkpoint, index))


def verified_newest(client: RegistryClient, checkpoint: VerifiedCheckpoint) -> Entry | None:
    """The newest entry of the log; None when there is none, or when it is of a format to come.

    Raises:
        VerificationError: it is not there.
        MalformedInputError: the answer is no proof.
        UnavailableError: the registry does not answer.
    """
    size = checkpoint.checkpoint.size
    return _read(_verified_bytes(client, checkpoint, size - 1)) if size else None


def _verified_bytes(client: RegistryClient, checkpoint: VerifiedCheckpoint, index: int) -> bytes:
    known = checkpoint.checkpoint
    if not 0 <= index < known.size:
        raise VerificationError(f"the log of {client.url} has no entry {index}")
    data, proof = client.inclusion(index, known.size)
    verify_inclusion(leaf_hash(data), index, known.size, proof, known.root)
    return data


def verify_whole_log(client: RegistryClient, checkpoint: VerifiedCheckpoint) -> WholeLog:
    """Read every entry and every hash that the registry serves, and compute the root from them.

    Raises:
        VerificationError: something is not what the checkpoint says, or a version was published twice.
        MalformedInputError: an answer makes no sense.
        UnavailableError: the registry does not answer.
    """
    whole = WholeLog(Counter(), {})
    contents: dict[tuple[str, str], str] = {}

    def fetch(served: Served) -> bytes:
        data = client.served(served)
        if isinstance(served, Bundle):
            for index, each in zip(served.entries, read_bundle(data, served), strict=True):
                entry = _read(each)
                whole.types[entry.type if entry else UNKNOWN_TYPE] += 1
                if isinstance(entry, ApprovalEntry):
                    whole.decisions.setdefault(entry.name, set()).add(index)
                elif isinstance(entry, PublicationEntry):
                    _require_once(client, contents, entry, index)
        return data

    verify_tiles(checkpoint.checkpoint.size, checkpoint.checkpoint.root, fetch)
    return whole


def _require_once(
    client: RegistryClient, contents: dict[tuple[str, str], str], entry: PublicationEntry, index: int
) -> None:
    if contents.setdefault((entry.name, entry.version), entry.content) != entry.content:
        what = f"{entry.name} {entry.version} again, with another content"
        raise VerificationError(f"entry {index} of the log of {client.url} publishes {what}")


def _read(data: bytes) -> Entry | None:
    try:
        return entries.loads(data)
    except MalformedInputError:
        return None


def verify_nothing_hidden(client: RegistryClient, whole: WholeLog) -> None:
    """Check that each decision in the log is in what the registry answers about its server.

    Raises:
        VerificationError: one is not.
        MalformedInputError: an answer makes no sense.
        UnavailableError: the registry does not answer.
    """
    for name, indices in whole.decisions.items():
        shown = _all(client, partial(_page, client, ServerName.read(name), None), "approvals")
        if hidden := sorted(indices - {_index(client, each) for each in shown}):
            raise VerificationError(
                f"the decisions about {name} that {client.url} shows leave out entry {hidden[0]} of its log",
                hint="somebody may have changed what is beside the log: do not rely on its approvals",
            )


def verified_publication(
    client: RegistryClient, checkpoint: VerifiedCheckpoint, name: ServerName, version: str
) -> VerifiedPublication:
    """A version with its snapshot: from the bytes that were signed, as the log says they were.

    Raises:
        VerificationError: the signature, the digest or the proof does not hold.
        MalformedInputError: the answer makes no sense, or there is no such version.
        UnavailableError: the registry does not answer.
    """
    index = _index(client, client.version(name, version))
    entry = _of_type(verified_entry(client, checkpoint, index), PublicationEntry, index)
    # 1. The log says which key signed which bytes; a version of another name may not answer for this one.
    if entry.name != str(name) or version not in ("latest", entry.version):
        raise VerificationError(f"entry {index} of the log is about {entry.name} {entry.version}")
    # 2. The bytes are signed by that key.
    envelope = dsse.loads(client.envelope(name, entry.version))
    signed = dsse.verify(envelope, PUBLICATION_TYPE, [KeyId(entry.key)])
    # 3. The bytes are those, and every digest in them is computed again.
    publication = read_publication(signed.payload)
    said = (str(publication.name), publication.version, publication.content)
    if (
        said != (entry.name, entry.version, entry.content)
        or publication.snapshot.signature.digest != entry.digest
    ):
        raise VerificationError(
            f"what {client.url} shows as {name} {entry.version} is not what was published"
        )
    return VerifiedPublication(publication, entry, index)


def verified_publications_of(
    client: RegistryClient, checkpoint: VerifiedCheckpoint, digest: Digest, of: ServerName | None = None
) -> Iterator[tuple[PublicationEntry, int]]:
    """Who has published exactly this signature, proved by the log: of each server the last such version.

    With `of` the others who have are not asked about.

    Raises:
        VerificationError: one of them is not in the log as the registry says.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer.
    """
    for holder in _all(client, lambda cursor: client.digest(digest, cursor=cursor), "holders"):
        name, version = ServerName.read(_text(client, holder, "name")), _text(client, holder, "last")
        if of not in (None, name):
            continue
        index = _index(client, client.version(name, version))
        entry = _of_type(verified_entry(client, checkpoint, index), PublicationEntry, index)
        if (entry.name, entry.version, entry.digest) != (str(name), version, digest):
            raise VerificationError(f"the log does not say that {name} {version} has the digest {digest}")
        yield entry, index


def verified_decisions(
    client: RegistryClient, checkpoint: VerifiedCheckpoint, name: ServerName, environment: str
) -> list[tuple[ApprovalEntry, int]]:
    """Every decision about a server in an environment, each as the log has it, oldest first.

    Raises:
        VerificationError: one of them is not in the log as the registry says.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer.
    """
    found: dict[int, ApprovalEntry] = {}
    for index, decision in _indexed(client, name, environment).items():
        if index >= checkpoint.checkpoint.size:
            # Made since we asked for the checkpoint: the next look will find it.
            continue
        entry = _of_type(verified_entry(client, checkpoint, index), ApprovalEntry, index)
        if (entry.name, entry.environment) != (str(name), environment):
            raise VerificationError(f"entry {index} of the log decides about something else")
        # What is said of it may not be another's: one decision in the place of two would hide the other.
        if any(decision.get(name, value) != value for name, value in _said(entry).items()):
            raise VerificationError(f"{client.url} does not say what entry {index} of the log says")
        found[index] = entry
    return [(found[index], index) for index in sorted(found)]


def _indexed(client: RegistryClient, name: ServerName, environment: str) -> dict[int, JsonObject]:
    """What is said of the decisions, by their entries: no more than can be proved, and none twice."""
    found: dict[int, JsonObject] = {}
    for decision in _all(client, partial(_page, client, name, environment), "approvals"):
        index = _index(client, decision)
        assert isinstance(decision, dict)  # it has an index
        if index in found:
            raise VerificationError(f"{client.url} shows entry {index} of its log twice")
        if len(found) == MAX_DECISIONS:
            raise PeerProtocolError(f"{client.url} has more than {MAX_DECISIONS} decisions about {name}")
        found[index] = decision
    return found


def _page(
    client: RegistryClient, name: ServerName, environment: str | None, cursor: str | None
) -> JsonObject:
    return client.approvals(name, environment=environment, cursor=cursor)


def _said(entry: ApprovalEntry) -> JsonObject:
    """How the API says what an entry says."""
    named = {name: getattr(entry, name) for name in ("name", "version", "digest", "environment", "state")}
    return {**named, "needed": entry.needed, "by": entry.by, "reason": entry.reason, "at": entry.time}


def _of_type(entry: Entry, kind: type[E], index: int) -> E:
    if not isinstance(entry, kind):
        raise VerificationError(f"entry {index} of the log is a {entry.type}, not a {kind.type}")
    return entry


def _index(client: RegistryClient, document: JsonValue) -> int:
    match document:
        case {"logIndex": int(index)} if index is not True and index is not False:
            return index
        case _:
            raise PeerProtocolError(f"{client.url} does not say where that is in its log")


def _text(client: RegistryClient, document: JsonValue, member: str) -> str:
    if not isinstance(document, dict) or not isinstance(document.get(member), str):
        raise PeerProtocolError(f"{client.url} leaves out the {member}")
    return str(document[member])


def _all(client: RegistryClient, ask: Callable[[str | None], JsonObject], member: str) -> Iterator[JsonValue]:
    """What is on all pages; a list without an end is no answer, since its end may be what matters."""
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        answer = ask(cursor)
        found, cursor = answer.get(member), answer.get("next")
        if not isinstance(found, list) or not (cursor is None or isinstance(cursor, str)):
            raise PeerProtocolError(f"{client.url} leaves out the {member}")
        yield from found
        if cursor is None:
            return
    raise PeerProtocolError(f"{client.url} has more than {MAX_PAGES} pages of {member}")
