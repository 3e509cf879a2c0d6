"""What a registry answers to a publication, proved: the entry is in its log, and about what was sent."""

from datetime import datetime
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.keys import KeyId
from avow.core.publication import Publication
from avow.core.tlog import entry as entries
from avow.core.tlog.checkpoint import open_checkpoint, read_text
from avow.core.tlog.encoding import from_base64
from avow.core.tlog.entry import PublicationEntry
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import VerifierKey, loads
from avow.core.tlog.proofs import verify_inclusion
from avow.errors import PeerProtocolError, VerificationError
from avow.system.registry_client.client import RegistryClient, read_hashes
from avow.system.registry_client.contact import continued, meet, open_shown
from avow.system.registry_client.remembered import Memory, Remembered

_MEMBERS: Final = ("name", "version", "digest", "content", "key")


def prove_receipt(
    client: RegistryClient, memory: Memory, receipt: JsonObject, sent: Publication, key: KeyId, now: datetime
) -> PublicationEntry:
    """Check a receipt for what was sent and signed by `key`, and that its log is the one that is remembered.

    Raises:
        ForkError: the receipt is from another log of the same registry.
        VerificationError: another key signed it, it is about something else, or its proof does not hold.
        MalformedInputError: it is no receipt.
        UnavailableError: the registry does not answer, or nothing can be remembered.
    """
    contact = meet(client, memory, now)
    entry = verify_receipt(receipt, sent, key, client.url, contact.key)
    shown = open_shown(client, receipt["proof"]["checkpoint"].encode(), contact.key)
    longer = continued(client, memory, Remembered(contact.key, contact.checkpoint, now), shown)
    memory.remember(Remembered(contact.key, longer, now))
    return entry


def verify_receipt(
    receipt: JsonObject, sent: Publication, key: KeyId, url: str, log: VerifierKey | None = None
) -> PublicationEntry:
    """Check a receipt for what was sent and signed by `key`; and the log's signature, where its key is known.

    Raises:
        VerificationError: the receipt is about something else, or its proof does not hold.
        MalformedInputError: it is no receipt.
    """
    match receipt:
        case {
            "logIndex": int(said),
            "isNew": bool(is_new),
            "published": dict(published),
            "proof": {
                "index": int(index),
                "size": int(size),
                "hashes": list(hashes),
                "root": str(root),
                "entry": str(text),
                "checkpoint": str(note),
            },
        } if said is not True and said is not False:
            pass
        case _:
            raise PeerProtocolError(f"{url} does not answer with a receipt")
    # 1. The entry leads to the root, and the root is the one in the checkpoint.
    verify_inclusion(leaf_hash(text.encode()), index, size, read_hashes(hashes), from_base64(root) or b"")
    data = note.encode()
    signed = read_text(loads(data).text) if log is None else open_checkpoint(data, log).checkpoint
    if (signed.size, signed.root) != (size, from_base64(root)):
        raise VerificationError(f"the checkpoint in the answer of {url} is of another log than its proof")
    # 2. The entry is about what was sent.
    entry = entries.loads(text.encode())
    expected: tuple[str, ...] = (str(sent.name), sent.version, sent.snapshot.signature.digest, sent.content)
    if not isinstance(entry, PublicationEntry) or _members(entry) != expected:
        raise VerificationError(f"{url} has put something else into its log than what was sent")
    # Who publishes the same again may have another key by now.
    if is_new and entry.key != key:
        raise VerificationError(f"{url} has put something else into its log than what was sent")
    # 3. What is said beside it is the same.
    told = [receipt.get(member) for member in _MEMBERS[:3]]
    told += [published.get(member) for member in (*_MEMBERS, "logIndex", "publishedAt")]
    same = [said, *told] == [index, *expected[:3], *expected, entry.key, index, entry.time]
    if not same or isinstance(published["logIndex"], bool):
        raise VerificationError(f"the answer of {url} says something else than the entry in its log")
    return entry


def _members(entry: PublicationEntry) -> tuple[str, ...]:
    return entry.name, entry.version, entry.digest, entry.content
