"""A receipt is believed when its proof holds, and when it is about what was sent."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from avow.core.canonical import JsonObject
from avow.core.keys import PrivateKey
from avow.core.publication import publication_payload, read_publication
from avow.core.tlog import entry
from avow.core.tlog.encoding import to_base64
from avow.core.tlog.entry import NamespaceEntry, PublicationEntry
from avow.core.tlog.notes import Signer
from avow.errors import AvowError, PeerProtocolError, UntrustedKeyError, VerificationError
from avow.system.registry_client.contact import ForkError
from avow.system.registry_client.receipts import prove_receipt, verify_receipt
from small_log import SmallLog
from small_registry import NAME, PUBLISHER, TIME, URL, SmallRegistry, memory, tool
from small_server import snapshot

KEY = PUBLISHER.public.identifier
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SENT = read_publication(publication_payload(NAME, "1.0.0", snapshot([tool("read")])))
FACT = PublicationEntry(
    time=TIME,
    name=str(NAME),
    version="1.0.0",
    digest=SENT.snapshot.signature.digest,
    content=SENT.content,
    key=KEY,
)


def receipt(fact: entry.Entry = FACT, **changes: object) -> JsonObject:
    """As the registry answers whose log has one entry before this."""
    log = SmallLog.of([b"before", entry.dumps(fact)])
    said = {"name": str(NAME), "version": "1.0.0", "digest": FACT.digest}
    published = {**said, "content": FACT.content, "key": KEY, "logIndex": 1, "publishedAt": TIME}
    proof = {
        "index": 1,
        "size": 2,
        "hashes": [to_base64(each) for each in log.inclusion(1)],
        "root": to_base64(log.root()),
        "entry": entry.dumps(fact).decode(),
        "checkpoint": log.checkpoint().decode(),
    }
    return {**said, "logIndex": 1, "isNew": True, "published": published, "proof": proof, **changes}


def test_a_receipt_for_what_was_sent_is_believed() -> None:
    assert verify_receipt(receipt(), SENT, KEY, URL) == FACT
    assert verify_receipt(receipt(), SENT, KEY, URL, SmallLog().signer.verifier()) == FACT


def test_the_same_may_have_been_published_before_with_another_key() -> None:
    """It is the new key that has to be in the log when it is said to be new."""
    other = PrivateKey(b"x" * 32).public.identifier

    assert verify_receipt(receipt(isNew=False), SENT, other, URL) == FACT
    with pytest.raises(VerificationError, match="something else into its log"):
        verify_receipt(receipt(), SENT, other, URL)


def within(member: str, **changes: object) -> Callable[[JsonObject], JsonObject]:
    return lambda found: {**found, member: {**found[member], **changes}}


@pytest.mark.parametrize(
    "lie",
    [
        lambda found: {**found, "digest": "sha256:" + "0" * 64},
        lambda found: {**found, "name": "io.github.other/files"},
        lambda found: {**found, "logIndex": 0},
        within("published", content="sha256:" + "0" * 64),
        within("published", publishedAt="2020-01-01T00:00:00.000Z"),
        within("published", logIndex=True),
        within("proof", index=0),
        within("proof", size=3),
        within("proof", root=to_base64(bytes(32))),
        within("proof", checkpoint=SmallLog.of(2).checkpoint().decode()),
    ],
)
def test_a_receipt_that_says_something_else_is_refused(lie: Callable[[JsonObject], JsonObject]) -> None:
    with pytest.raises(AvowError):
        verify_receipt(lie(receipt()), SENT, KEY, URL)


def test_an_entry_about_something_else_is_refused() -> None:
    claim = NamespaceEntry(time=TIME, namespace="io.github.owner", key=KEY, by="Ada")
    with pytest.raises(VerificationError, match="something else into its log"):
        verify_receipt(receipt(claim), SENT, KEY, URL)
    with pytest.raises(PeerProtocolError, match="does not answer with a receipt"):
        verify_receipt({}, SENT, KEY, URL)


def test_the_log_that_is_remembered_has_to_sign() -> None:
    stranger = SmallLog().signer.verifier()
    found = receipt()
    found["proof"]["checkpoint"] = found["proof"]["checkpoint"].replace(
        "\u2014 log.example", "\u2014 lug.example"
    )
    with pytest.raises(VerificationError):
        verify_receipt(found, SENT, KEY, URL, stranger)


def proved(registry: SmallRegistry, shown: JsonObject, directory: Path) -> PublicationEntry:
    with registry.client() as client:
        return prove_receipt(client, memory(directory), shown, SENT, KEY, NOW)


def test_a_receipt_is_proved_by_the_log_that_everybody_is_shown(tmp_path: Path) -> None:
    """Which may have grown since, and is remembered."""
    registry = SmallRegistry(SmallLog.of([b"before", entry.dumps(FACT)]))
    assert proved(registry, receipt(), tmp_path) == FACT

    registry.log.append(b"more")
    assert proved(registry, receipt(), tmp_path) == FACT
    registry.lies["checkpoint"] = lambda request: httpx.Response(200, content=registry.log.checkpoint(1))
    assert proved(registry, receipt(), tmp_path / "elsewhere") == FACT

    sizes = [memory(place).recall() for place in (tmp_path, tmp_path / "elsewhere")]
    assert [each and each.checkpoint.checkpoint.size for each in sizes] == [3, 2]


def test_a_receipt_that_was_made_up_is_not_believed(tmp_path: Path) -> None:
    """Not by whoever has no key of the log, nor by whoever has it and keeps another log for us."""
    registry = SmallRegistry(SmallLog.of([b"before", b"something else"]))
    stranger = SmallLog.of([b"before", entry.dumps(FACT)])
    stranger.signer = Signer(stranger.signer.name, PrivateKey(b"x" * 32))
    shown = receipt()
    made_up = {**shown, "proof": {**shown["proof"], "checkpoint": stranger.checkpoint().decode()}}

    with pytest.raises(UntrustedKeyError):
        proved(registry, made_up, tmp_path)
    with pytest.raises(ForkError, match="two different logs of 2 entries"):
        proved(registry, shown, tmp_path)
    registry.log.append(b"more")
    with pytest.raises(ForkError, match="DO NOT TRUST"):
        proved(registry, shown, tmp_path / "elsewhere")
