"""What a registry says, proved by its log or refused."""

import httpx
import pytest

from avow.core.canonical import Digest
from avow.core.keys import PrivateKey
from avow.core.tlog.checkpoint import VerifiedCheckpoint, open_checkpoint
from avow.core.tlog.entry import NamespaceEntry
from avow.errors import AvowError, MalformedInputError, PeerProtocolError, SignatureError, VerificationError
from avow.system.registry_client.proving import (
    MAX_DECISIONS,
    MAX_PAGES,
    verified_decisions,
    verified_entry,
    verified_publication,
    verified_publications_of,
    verify_whole_log,
)
from small_registry import NAME, PUBLISHER, SmallRegistry, proof, tool


def registry() -> SmallRegistry:
    made = SmallRegistry()
    made.append(
        NamespaceEntry(
            time="2026-11-15T14:35:50.123Z", namespace="io.github.owner", key="sha256:" + "1" * 64, by="root"
        )
    )
    made.publish("1.0.0", tool("read"))
    made.publish("1.1.0", tool("read"), tool("write"))
    made.decide("1.0.0", "approved")
    return made


def checkpoint(made: SmallRegistry) -> VerifiedCheckpoint:
    return open_checkpoint(made.log.checkpoint(), made.log.signer.verifier())


def refused(made: SmallRegistry, error: type[AvowError], match: str | None = None) -> None:
    with made.client() as client, pytest.raises(error, match=match):
        verified_publication(client, checkpoint(made), NAME, "1.0.0")


def test_a_version_is_signed_logged_and_complete() -> None:
    made = registry()
    with made.client() as client:
        found = verified_publication(client, checkpoint(made), NAME, "1.0.0")
        newest = verified_publication(client, checkpoint(made), NAME, "latest")

    assert found.index == 1
    assert found.entry.key == PUBLISHER.public.identifier
    assert list(found.publication.snapshot.signature.tools) == ["read"]
    assert newest.publication.version == "1.1.0"


def test_a_version_that_is_shown_instead_of_another() -> None:
    made = registry()
    made.versions["1.0.0"] = made.versions["1.1.0"]

    refused(made, VerificationError, "is about io.github.owner/files 1.1.0")


def test_a_signed_version_that_answers_for_another() -> None:
    made = registry()
    made.envelopes["1.0.0"] = made.envelopes["1.1.0"]

    refused(made, VerificationError, "is not what was published")


def test_a_signature_by_another_key() -> None:
    made, other = registry(), registry()
    other.publish("1.0.0", tool("read"), key=PrivateKey(b"m" * 32))
    made.envelopes["1.0.0"] = other.envelopes["1.0.0"]

    refused(made, VerificationError, "not trusted here")


def test_a_broken_signature() -> None:
    made = registry()
    made.envelopes["1.0.0"] = made.envelopes["1.0.0"].replace(b'"sig":"', b'"sig":"AAAA')

    refused(made, SignatureError, "does not fit")


def test_a_rewritten_leaf() -> None:
    """The registry changes an entry and shows a proof for the new one: the root says no."""
    made = registry()
    known = checkpoint(made)
    other = registry()
    other.publish("1.0.0", tool("evil"))
    forged = other.log.entries[-1]
    made.lies["log/inclusion"] = lambda request: proof(made.log.inclusion(1), entry=forged.decode())

    with made.client() as client, pytest.raises(VerificationError, match="does not show that entry 1"):
        verified_entry(client, known, 1)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"logIndex": 0}, VerificationError),
        ({"logIndex": 3}, VerificationError),
        ({"logIndex": 4}, VerificationError),
        ({"logIndex": -1}, VerificationError),
        ({"logIndex": True}, PeerProtocolError),
        ({"logIndex": "1"}, PeerProtocolError),
        ({}, PeerProtocolError),
    ],
)
def test_a_version_that_points_elsewhere(answer: dict[str, object], error: type[AvowError]) -> None:
    made = registry()
    made.versions["1.0.0"] = answer

    refused(made, error)


def test_an_entry_that_nobody_can_read() -> None:
    made = registry()
    made.log.append(b"{}")
    with made.client() as client, pytest.raises(MalformedInputError, match="cannot read an entry"):
        verified_entry(client, checkpoint(made), made.log.size - 1)


def test_who_published_a_signature() -> None:
    made = registry()
    made.publish("1.2.0", tool("read"))
    digest = Digest(made.versions["1.0.0"]["digest"])
    with made.client() as client:
        [(entry, index)] = verified_publications_of(client, checkpoint(made), digest)
        assert list(verified_publications_of(client, checkpoint(made), Digest("sha256:" + "9" * 64))) == []

    assert (entry.version, entry.digest, index) == ("1.2.0", digest, 4)


def test_of_many_who_published_a_signature_only_the_one_that_matters_is_asked_about() -> None:
    made = registry()
    digest = Digest(made.versions["1.0.0"]["digest"])
    holders = [{"name": f"io.github.owner/copy{number}", "last": "1.0.0"} for number in range(100)]
    answer = {"holders": [*holders, {"name": str(NAME), "last": "1.0.0"}], "next": None}
    made.lies[f"digests/{digest}"] = lambda request: httpx.Response(200, json=answer)
    with made.client() as client:
        [(entry, _)] = verified_publications_of(client, checkpoint(made), digest, NAME)

    assert entry.name == str(NAME)
    assert len(made.asked) == 3


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"holders": [{"name": "io.github.owner/files", "last": "1.1.0"}]}, VerificationError),
        ({"holders": [{"name": "io.github.owner/files"}]}, PeerProtocolError),
        ({"holders": [{"name": "..", "last": "1.1.0"}]}, MalformedInputError),
        ({"holders": ["x"]}, PeerProtocolError),
        ({"holders": None}, PeerProtocolError),
        ({"holders": [], "next": 7}, PeerProtocolError),
        ({"holders": [], "next": "again"}, PeerProtocolError),
    ],
)
def test_a_registry_that_says_who_did_not(answer: dict[str, object], error: type[AvowError]) -> None:
    made = registry()
    digest = Digest(made.versions["1.0.0"]["digest"])
    made.lies[f"digests/{digest}"] = lambda request: httpx.Response(200, json=answer)

    with made.client() as client, pytest.raises(error):
        list(verified_publications_of(client, checkpoint(made), digest))
    assert len(made.asked) <= MAX_PAGES


def test_decisions_are_those_of_the_log_in_its_order() -> None:
    made = registry()
    made.decide("1.0.0", "rejected", "Bob")
    made.decisions.reverse()
    with made.client() as client:
        found = verified_decisions(client, checkpoint(made), NAME, "production")

    assert [(entry.by, entry.state, index) for entry, index in found] == [
        ("Ada", "approved", 3),
        ("Bob", "rejected", 4),
    ]


def test_a_decision_about_something_else_or_none() -> None:
    made = registry()
    with made.client() as client:
        with pytest.raises(VerificationError, match="decides about something else"):
            verified_decisions(client, checkpoint(made), NAME, "staging")
        made.decisions = [{"logIndex": 1}]
        with pytest.raises(VerificationError, match="entry 1 of the log is a publication, not a approval"):
            verified_decisions(client, checkpoint(made), NAME, "production")


def test_a_decision_that_is_shown_often_is_asked_for_never() -> None:
    made = registry()
    made.decisions *= 1000
    with made.client() as client, pytest.raises(VerificationError, match="shows entry 3 of its log twice"):
        verified_decisions(client, checkpoint(made), NAME, "production")

    assert [each for each in made.asked if not each.startswith("approvals")] == []


def test_more_decisions_than_anybody_makes_are_not_asked_for() -> None:
    made = registry()
    made.decisions = [{"logIndex": index} for index in range(MAX_DECISIONS + 1)]
    with made.client() as client, pytest.raises(PeerProtocolError, match="more than 10000 decisions"):
        verified_decisions(client, checkpoint(made), NAME, "production")

    assert [each for each in made.asked if not each.startswith("approvals")] == []


def test_a_proof_is_small() -> None:
    made = registry()
    made.lies["log/inclusion"] = lambda request: httpx.Response(200, content=b" " * 400_000)
    with made.client() as client, pytest.raises(PeerProtocolError, match=r"answers more than \d+ bytes"):
        verified_entry(client, checkpoint(made), 1)


def test_the_whole_log_is_read_and_every_change_noticed() -> None:
    made = registry()
    made.log.append(b'{"avow":2}')
    known = checkpoint(made)
    with made.client() as client:
        told = verify_whole_log(client, known).types
        assert told == {"namespace": 1, "publication": 2, "approval": 1, "unknown": 1}
        made.log.entries[2] = made.log.entries[2].replace(b"1.1.0", b"1.1.1")
        with pytest.raises(VerificationError, match="a stored hash over entry 2"):
            verify_whole_log(client, known)


def test_a_version_that_is_published_twice_is_found_by_who_reads_the_whole_log() -> None:
    made = registry()
    made.publish("1.0.0", tool("read"))
    with made.client() as client:
        assert verify_whole_log(client, checkpoint(made)).types["publication"] == 3
        made.publish("1.0.0", tool("evil"))
        with pytest.raises(
            VerificationError, match=r"entry 5 .* publishes .* 1\.0\.0 again, with another content"
        ):
            verify_whole_log(client, checkpoint(made))
