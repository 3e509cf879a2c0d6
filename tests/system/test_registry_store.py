"""One suite over both stores: what is published can be read, found, compared and proven."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from avow.core import dsse
from avow.core.canonical import Digest, canonical, digest, parse_json
from avow.core.capability import Capability, Kind
from avow.core.publication import ServerName, publication_payload
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.entry import PublicationEntry, loads
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.proofs import verify_inclusion
from avow.core.tlog.tree import nodes_of_root, root
from avow.errors import MalformedInputError, SignatureError, UntrustedKeyError
from avow.registry.model import ConflictError, Receipt, Search
from avow.registry.publishing import publish
from avow.registry.store import reading
from avow.registry.store.interface import Store
from avow.registry.store.packing import read_stored
from registry_samples import (
    FILES,
    KEY,
    NAMESPACE,
    NOW,
    OTHER_KEY,
    READ,
    SIGNER,
    WRITE,
    envelope,
    sealed,
    snapshot,
    tool,
)
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio


def assert_proven(receipt: Receipt) -> None:
    """The receipt shows that the entry is in the log, with nothing but the log's public key."""
    checkpoint = open_checkpoint(receipt.checkpoint.note, SIGNER.verifier()).checkpoint
    proof = receipt.proof
    assert checkpoint.size == proof.size
    verify_inclusion(leaf_hash(receipt.entry), proof.index, proof.size, proof.hashes, checkpoint.root)


async def test_a_publication_is_answered_with_a_proof(store: Store) -> None:
    """Whoever has the log's key can check the receipt alone."""
    receipt = await publish(store, envelope(snapshot(READ)), NOW)

    assert_proven(receipt)
    entry = loads(receipt.entry)
    assert isinstance(entry, PublicationEntry)
    assert (entry.name, entry.version, entry.time) == (str(FILES), "1.0.0", "2026-11-15T12:00:00.123Z")
    assert entry.digest == snapshot(READ).signature.digest == receipt.version.digest
    assert receipt.is_new
    assert receipt.version.log_index == 1


async def test_what_was_signed_comes_back_to_the_byte(store: Store) -> None:
    """The definitions are stored once for all who share them; the payload and the envelope are whole."""
    shown = snapshot(READ, WRITE, prompts=[{"name": "ask", "arguments": [{"name": "what"}]}])
    sent = envelope(shown)
    await publish(store, sent, NOW)

    assert await store.envelope(FILES, "1.0.0") == sent
    assert await store.payload(FILES, "1.0.0") == publication_payload(FILES, "1.0.0", shown)
    assert await store.payload(FILES, "2.0.0") is None
    assert await store.envelope(FILES, "2.0.0") is None


async def test_a_payload_in_another_notation_comes_back_to_the_byte_too(store: Store) -> None:
    """Somebody else's publisher writes JSON with blanks: its signature holds over exactly these bytes."""
    document = parse_json(publication_payload(FILES, "1.0.0", snapshot(READ)))
    payload = b" " + canonical(document)
    sent = sealed(payload)
    receipt = await publish(store, sent, NOW)

    assert await store.envelope(FILES, "1.0.0") == sent
    assert await store.payload(FILES, "1.0.0") == payload
    assert receipt.version.content == digest(document)
    again = await publish(store, envelope(snapshot(READ)), NOW)
    assert not again.is_new


async def test_the_same_again_is_the_same_receipt(store: Store) -> None:
    """A publisher that did not hear the answer asks again: nothing is added, and the proof still holds."""
    first = await publish(store, envelope(snapshot(READ)), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "1.1.0"), NOW)

    again = await publish(store, envelope(snapshot(READ)), NOW + timedelta(hours=1))

    assert not again.is_new
    assert (again.version, again.entry) == (first.version, first.entry)
    assert_proven(again)
    assert (await store.totals())["entries"] == 3


async def test_a_version_is_published_once(store: Store) -> None:
    """The same version with another content is refused, whatever the key."""
    await publish(store, envelope(snapshot(READ)), NOW)

    with pytest.raises(ConflictError, match=r"files 1\.0\.0 has been published with another content"):
        await publish(store, envelope(snapshot(READ, WRITE)), NOW)

    assert await store.payload(FILES, "1.0.0") == publication_payload(FILES, "1.0.0", snapshot(READ))


async def test_every_version_has_its_drift_to_the_one_before(store: Store) -> None:
    """The history says what each release changed, and how much that matters."""
    await publish(store, envelope(snapshot(READ), "1.0"), NOW)
    await publish(store, envelope(snapshot(READ), "1.1"), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "2.0"), NOW)
    await publish(store, envelope(snapshot(WRITE), "3.0"), NOW)

    history = (await store.versions(FILES)).items
    assert [(each.version, each.predecessor, each.sequence) for each in history] == [
        ("3.0", "2.0", 4),
        ("2.0", "1.1", 3),
        ("1.1", "1.0", 2),
        ("1.0", None, 1),
    ]
    assert [each.highest for each in history] == [Severity.INFO, Severity.CRITICAL, None, None]
    assert history[1].drift == {Severity.CRITICAL: 1}
    drifts = await store.drifts(FILES, ["2.0", "3.0", "nine"])
    assert [each["type"] for each in drifts["2.0"]] == ["tool_added"]
    assert [each["type"] for each in drifts["3.0"]] == ["tool_removed"]
    assert "nine" not in drifts


async def test_counts_risk_and_needs_are_known_of_every_version(store: Store) -> None:
    """What a page shows of a version needs no look at its definitions."""
    schema = {
        "environmentVariables": [
            {
                "name": "TOKEN",
                "description": "A token.",
                "type": "string",
                "required": True,
                "sensitive": True,
            },
            {"name": "REGION", "description": "A region.", "type": "string", "required": False},
        ]
    }
    shown = snapshot(READ, WRITE, prompts=[{"name": "ask"}], configuration_schema=schema)
    version = (await publish(store, envelope(shown), NOW)).version

    assert (version.counts.tools, version.counts.prompts, version.counts.capabilities) == (2, 1, 3)
    assert version.counts.high == 1
    assert version.counts.low + version.counts.medium + version.counts.high == 3
    assert version.needs.declared
    assert (version.needs.parameters, version.needs.required_secrets) == (2, 1)
    assert await store.version(FILES) == version
    assert await store.version(FILES, "1.0.0") == version
    assert await store.version(FILES, "9") is None
    assert await store.version(ServerName(NAMESPACE, "none")) is None


def swapped(sent: bytes, other: bytes) -> bytes:
    """The payload of one envelope under the signature of another."""
    return dsse.dumps(replace(dsse.loads(sent), payload=dsse.loads(other).payload))


@pytest.mark.parametrize(
    ("sent", "error", "words"),
    [
        (envelope(snapshot(READ), key=OTHER_KEY), UntrustedKeyError, "not trusted"),
        (envelope(snapshot(READ), name=ServerName("io.other", "x")), UntrustedKeyError, "nobody has claimed"),
        (sealed(b'{"name": "io.github.owner/x"}'), MalformedInputError, "name, a version and a snapshot"),
        (sealed(b"[]"), MalformedInputError, "name, a version and a snapshot"),
        (sealed(b'{"name": "../../etc"}'), MalformedInputError, "not the name of a server"),
        (b"{}", MalformedInputError, "not a DSSE envelope"),
        (b"{" * 100_000, MalformedInputError, "not JSON|inside each other"),
        (
            sealed(publication_payload(FILES, "1", snapshot(READ)), kind="text/plain"),
            SignatureError,
            "text/plain",
        ),
        (swapped(envelope(snapshot(READ)), envelope(snapshot(WRITE))), SignatureError, "does not fit"),
    ],
    ids=["key", "namespace", "version", "list", "path", "empty", "deep", "type", "swapped"],
)
async def test_what_is_not_a_good_publication_is_refused(
    store: Store, sent: bytes, error: type[Exception], words: str
) -> None:
    """Nothing of it is kept."""
    with pytest.raises(error, match=words):
        await publish(store, sent, NOW)
    assert (await store.totals())["versions"] == 0


async def test_a_digest_that_does_not_fit_is_refused(store: Store) -> None:
    """The service believes no digest: each is computed again from what it stands for."""
    document = parse_json(publication_payload(FILES, "1.0.0", snapshot(READ)))
    document["snapshot"]["tools"][0]["definition"]["description"] = "Sends it home."

    with pytest.raises(MalformedInputError, match="does not fit"):
        await publish(store, sealed(canonical(document)), NOW)


async def test_a_revoked_key_publishes_nothing_more(store: Store) -> None:
    """Rotation: the old key is refused from then on, also when it replays what it signed before."""
    await publish(store, envelope(snapshot(READ)), NOW)
    await store.change_keys(NAMESPACE, "admin", NOW, add=[OTHER_KEY.public], revoke=[KEY.public.identifier])

    for version in ("1.0.0", "1.1.0"):
        with pytest.raises(UntrustedKeyError):
            await publish(store, envelope(snapshot(READ), version), NOW)
    receipt = await publish(store, envelope(snapshot(READ), "1.1.0", key=OTHER_KEY), NOW)
    assert receipt.version.key == OTHER_KEY.public.identifier


async def test_servers_are_listed_with_the_last_change_first(store: Store) -> None:
    """Pages are stable: nothing is shown twice, nothing is left out."""
    names = [ServerName(NAMESPACE, f"s{number}") for number in range(5)]
    for name in names:
        await publish(store, envelope(snapshot(READ), "1.0", name), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "1.1", names[1]), NOW)

    first = await store.servers(limit=3)
    second = await store.servers(limit=3, cursor=first.next)

    assert [each.name.server for each in (*first, *second)] == ["s1", "s4", "s3", "s2", "s0"]
    assert second.next is None
    assert first.items[0].versions == 2
    assert first.items[0].latest.version == "1.1"
    assert len((await store.servers(namespace=NAMESPACE, limit=2)).items) == 2
    assert (await store.servers(namespace="io.nobody")).items == ()
    page = await store.servers("github", namespace=NAMESPACE, limit=4)
    rest = await store.servers("github", namespace=NAMESPACE, limit=4, cursor=page.next)
    assert [each.name.server for each in (*page, *rest)] == ["s1", "s4", "s3", "s2", "s0"]
    assert (await store.servers("github", namespace="io.nobody")).items == ()


async def test_servers_are_found_by_words(store: Store) -> None:
    """By its name, by what it says of itself, by the names of its tools; and only as it is today."""
    named = {"name": "files", "version": "1", "title": "Cloud Drive", "description": "Keeps documents."}
    await publish(store, envelope(snapshot(READ, server=named), "1.0"), NOW)
    await publish(store, envelope(snapshot(WRITE), "1.0", ServerName(NAMESPACE, "other")), NOW)

    async def found(text: str) -> list[str]:
        return [each.name.server for each in await store.servers(text)]

    assert await found("cloud") == ["files"]
    assert await found("Documents CLOUD") == ["files"]
    assert await found("readFile") == await found("READ files") == ["files"]
    assert await found("write file") == ["other"]
    assert await found("github") == ["other", "files"]
    assert await found("absent") == await found("!!!") == []
    await publish(store, envelope(snapshot(READ), "1.1"), NOW)
    assert await found("cloud") == []


async def test_capabilities_are_found_by_everything_they_say(store: Store) -> None:
    """By name, words, argument and type, annotation, risk, kind and configuration; together, too."""
    locked = tool("read_mail", "Reads the mailbox.", folder="string", limit="integer")
    locked["annotations"] = {"readOnlyHint": True}
    secret = {
        "environmentVariables": [
            {"name": "KEY", "description": "A key.", "type": "string", "required": True, "sensitive": True}
        ]
    }
    await publish(
        store, envelope(snapshot(READ, WRITE, prompts=[{"name": "ask", "description": "Asks."}])), NOW
    )
    mail = ServerName(NAMESPACE, "mail")
    await publish(store, envelope(snapshot(locked, READ, configuration_schema=secret), "1", mail), NOW)

    async def found(**wanted: Any) -> list[str]:
        return sorted(hit.name for hit in await store.search(Search(**wanted)))

    assert await found(tool="read_file") == ["read_file"]
    assert await found(text="mailbox") == ["read_mail"]
    assert await found(text="reads file") == ["read_file"]
    assert await found(argument="path") == ["read_file", "write_file"]
    assert await found(argument="limit", argument_type="integer") == ["read_mail"]
    assert await found(argument="limit", argument_type="string") == []
    assert await found(annotation=("readOnlyHint", "true")) == ["read_mail"]
    assert await found(annotation=("readOnlyHint", "false")) == ["read_file", "write_file"]
    assert await found(risk=Level.HIGH) == ["write_file"]
    assert await found(kind=Kind.PROMPT) == ["ask"]
    assert await found(kind=Kind.TOOL, needs_no_secret=True) == ["read_file", "write_file"]
    assert await found(text="file", argument="path", argument_type="string", risk=Level.HIGH) == [
        "write_file"
    ]
    assert await found(tool="read_file", argument="path", kind=Kind.TOOL, namespace=NAMESPACE) == [
        "read_file"
    ]
    assert await found(namespace="io.nobody") == await found(text="?!") == []
    assert await found() == ["ask", "read_file", "read_mail", "write_file"]


async def test_a_hit_names_the_servers_that_offer_it_today(store: Store) -> None:
    """What nobody offers any more is not found, and comes back when somebody does."""
    other = ServerName(NAMESPACE, "other")
    await publish(store, envelope(snapshot(READ, WRITE)), NOW)
    await publish(store, envelope(snapshot(READ), "7", other), NOW)

    (hit,) = await store.search(Search(tool="read_file"))
    assert hit.servers == 2
    assert [(offer.name, offer.version) for offer in hit.offers] == [(FILES, "1.0.0"), (other, "7")]
    await publish(store, envelope(snapshot(WRITE), "1.1.0"), NOW)
    await publish(store, envelope(snapshot(WRITE), "8", other), NOW)
    assert (await store.search(Search(tool="read_file"))).items == ()
    await publish(store, envelope(snapshot(READ, WRITE), "9", other), NOW)
    (hit,) = await store.search(Search(tool="read_file"))
    assert [offer.name for offer in hit.offers] == [other]


async def test_pages_of_a_search_are_stable(store: Store) -> None:
    """What is published while somebody pages on does not shift what they see."""
    tools = [tool(f"read_{number}", path="string") for number in range(7)]
    await publish(store, envelope(snapshot(*tools)), NOW)
    wanted = Search(argument="path", argument_type="string")

    first = await store.search(wanted, limit=3)
    await publish(store, envelope(snapshot(WRITE), "1", ServerName(NAMESPACE, "new")), NOW)
    second = await store.search(wanted, limit=3, cursor=first.next)
    third = await store.search(wanted, limit=3, cursor=second.next)

    names = [hit.name for hit in (*first, *second, *third)]
    assert sorted(names) == [f"read_{number}" for number in range(7)]
    assert third.next is None
    facets = await store.facets(wanted)
    assert facets.kinds == {Kind.TOOL: 8}
    assert facets.is_exact
    with pytest.raises(MalformedInputError, match="not a cursor"):
        await store.search(wanted, cursor="'; DROP TABLE servers; --")


async def test_who_else_has_exactly_this(store: Store) -> None:
    """By the digest of a tool or of a whole signature, in every version that there ever was."""
    fork = ServerName(NAMESPACE, "fork")
    for version, tools in (("1", [READ]), ("2", [READ, WRITE]), ("3", [WRITE]), ("4", [READ])):
        await publish(store, envelope(snapshot(*tools), version), NOW)
    await publish(store, envelope(snapshot(READ), "0.1", fork), NOW)

    read = (await store.holders(digest(READ))).items
    assert [(each.name, each.first, each.last, each.versions, each.is_current) for each in read] == [
        (FILES, "1", "4", 3, True),
        (fork, "0.1", "0.1", 1, True),
    ]
    assert (read[0].kind, read[0].capability) == (Kind.TOOL, "read_file")
    whole = (await store.holders(snapshot(READ).signature.digest)).items
    assert [(each.name, each.versions, each.kind) for each in whole] == [(FILES, 2, None), (fork, 1, None)]
    page = await store.holders(digest(READ), limit=1)
    assert [each.name for each in await store.holders(digest(READ), cursor=page.next)] == [fork]
    assert (await store.holders(Digest("sha256:" + "0" * 64))).items == ()
    found = await store.capability(digest(READ))
    assert found is not None
    assert found[1] == canonical(READ)
    with pytest.raises(MalformedInputError, match="not a digest"):
        await store.holders(Digest("sha256:xyz"))


async def test_a_page_may_end_between_two_things_with_one_digest(store: Store) -> None:
    """A tool and a prompt that are written alike: both of each server are listed, whatever the page holds."""
    both = {"name": "twin"}
    for number in range(3):
        shown = snapshot(both, prompts=[both])
        await publish(store, envelope(shown, "1", ServerName(NAMESPACE, f"s{number}")), NOW)
    listed = [(f"s{number}", kind) for number in range(3) for kind in (Kind.TOOL, Kind.PROMPT)]

    for limit in (1, 2, 3, 5):
        found, cursor = list[tuple[str, Kind | None]](), None
        while not found or cursor is not None:
            page = await store.holders(digest(both), limit=limit, cursor=cursor)
            found += [(each.name.server, each.kind) for each in page]
            cursor = page.next
        assert sorted(found) == sorted(listed)


async def test_servers_are_found_by_a_part_of_their_names(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In any case; nothing in it means anything else; and a bounded number is looked at."""
    for name in ("file_system", "fileXsystem", "Notes"):
        await publish(store, envelope(snapshot(READ), "1", ServerName(NAMESPACE, name)), NOW)

    async def named(part: str) -> list[str]:
        return [each.name.server for each in await store.servers_named(part)]

    assert await named("ILE") == ["fileXsystem", "file_system"]
    assert await named("e_s") == ["file_system"]
    assert await named("owner/no") == ["Notes"]
    assert [await named(each) for each in ("%", "\\", "\0", "words")] == [[], [], [], []]
    page = await store.servers_named("system", limit=1)
    assert [each.name.server for each in await store.servers_named("system", cursor=page.next)] == [
        "file_system"
    ]
    monkeypatch.setattr(reading, "_LOOKED_AT", 1)
    nothing = await store.servers_named("system")
    assert (nothing.items, (await store.servers_named("system", cursor=nothing.next)).items[0].versions) == (
        (),
        1,
    )


async def test_changes_are_a_stream_with_a_position(store: Store) -> None:
    """Feeds and webhooks continue where they were; levels and targets choose."""
    other = ServerName("io.github.owner", "other")
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    await publish(store, envelope(snapshot(READ), "1", other), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "2"), NOW)
    await publish(store, envelope(snapshot(), "2", other), NOW)

    everything = await store.changes()
    assert [each.version.id for each in everything] == [1, 2, 3, 4]
    assert [each.is_first for each in everything] == [True, True, False, False]
    assert [each.version.id for each in await store.changes(after=2, level=Severity.CRITICAL)] == [3]
    assert [each.version.id for each in await store.changes(targets=[str(other)])] == [2, 4]
    assert len(await store.changes(targets=[f"{NAMESPACE}/*"], limit=3)) == 3
    assert await store.changes(targets=["io.x/*"]) == ()
    both = [f"{NAMESPACE}/*", str(FILES), "io.x/y"]
    assert [each.version.id for each in await store.changes(targets=both, after=1)] == [2, 3, 4]
    recent = await store.recent(limit=3)
    assert [each.version.id for each in recent] == [4, 3, 2]
    assert [each.version.id for each in await store.recent(cursor=recent.next)] == [1]
    assert [each.version.id for each in await store.recent(level=Severity.INFO)] == [4, 3]


async def test_what_happens_in_a_target_is_found_whatever_happens_elsewhere(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quiet namespace in a busy registry; many servers in it or few make no difference to the answer."""
    quiet = ServerName("io.quiet", "one")
    await store.claim("io.quiet", KEY.public, "admin", NOW)
    await publish(store, envelope(snapshot(READ), "1", quiet), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "2", quiet), NOW)
    for number in range(6):
        await publish(store, envelope(snapshot(READ), f"{number}", ServerName(NAMESPACE, f"s{number}")), NOW)
    for few in (1_000, 0):
        monkeypatch.setattr(reading, "_FEW", few)
        for target in (str(quiet), "io.quiet/*"):
            newest = await store.recent(target=target, limit=1)
            older = await store.recent(target=target, limit=1, cursor=newest.next)
            high = await store.recent(target=target, level=Severity.CRITICAL)
            ids = [[each.version.id for each in page] for page in (newest, older, high)]
            assert (ids, older.next) == ([[2], [1], [2]], None)
            assert [each.version.id for each in await store.changes(targets=[target], after=1)] == [2]
            assert await store.changes(targets=[target], after=2) == ()
        assert len((await store.recent(target=f"{NAMESPACE}/*")).items) == 6


async def test_hostile_texts_are_stored_and_found(store: Store) -> None:
    """Whatever a server writes: no byte of it is an instruction to a database, and sizes are bounded."""
    nasty = "'; DROP TABLE servers; -- \x00 %s {} \u202e \U0001f600 " + "ж" * 50_000
    evil = tool(nasty[:2_000], nasty, **{nasty[:3_000]: "string", "x": "integer"})
    evil["annotations"] = {nasty: True, "readOnlyHint": "maybe"}
    shown = snapshot(evil, READ, server={"name": nasty, "title": nasty, "version": "1"}, instructions=nasty)
    await publish(store, envelope(shown), NOW)

    assert await store.payload(FILES, "1.0.0") == publication_payload(FILES, "1.0.0", shown)
    (hit,) = await store.search(Search(argument="x", argument_type="integer"))
    assert len(hit.name) <= 300
    assert [each.name for each in await store.search(Search(text="drop table"))] == [hit.name]
    assert [each.name for each in await store.search(Search(tool=nasty[:2_000]))] == [hit.name]
    assert (await store.search(Search(text='"read" OR * ^ NEAR('))).items == ()


async def test_the_log_can_be_computed_again(store: Store) -> None:
    """Every entry, every hash and every checkpoint fit each other."""
    for number in range(9):
        await publish(store, envelope(snapshot(READ), f"1.{number}"), NOW)

    entries = await store.entries(0, 100)
    newest = await store.checkpoint()
    assert newest is not None
    assert newest.size == len(entries) == 10
    hashes: Mapping[Any, bytes] = await store.nodes(nodes_of_root(newest.size))
    assert root(newest.size, hashes.__getitem__) == newest.root
    for size in range(1, 11):
        checkpoint = await store.checkpoint(size)
        assert checkpoint is not None
        assert open_checkpoint(checkpoint.note, SIGNER.verifier()).checkpoint.root == checkpoint.root
    assert await store.checkpoint(11) is None


async def test_servers_that_could_replace_another(store: Store) -> None:
    """Candidates have something of every wanted kind and name; the rest is for `matching`."""
    both, one = ServerName(NAMESPACE, "both"), ServerName(NAMESPACE, "one")
    await publish(store, envelope(snapshot(READ, WRITE), "1", both), NOW)
    await publish(store, envelope(snapshot(READ), "1", one), NOW)

    wanted = [(Kind.TOOL, "read_file"), (Kind.TOOL, "write_file")]
    assert [each.name for each in await store.candidates(wanted)] == [both]
    assert [each.name for each in await store.candidates(wanted[:1])] == [one, both]
    page = await store.candidates(wanted[:1], limit=1)
    assert [each.name for each in await store.candidates(wanted[:1], cursor=page.next)] == [both]
    assert (await store.candidates([(Kind.PROMPT, "read_file")])).items == ()
    newest = await store.version(both)
    assert newest is not None
    same, differs = Capability.read(Kind.TOOL, WRITE), Capability.read(Kind.TOOL, {**READ, "title": "x"})
    key, there = (Kind.TOOL, same.digest), Capability.read(Kind.TOOL, READ)
    assert await store.offered([newest.id], [same]) == {newest.id: {key: b""}}
    [found] = (await store.offered([newest.id], [differs])).values()
    assert [read_stored(*each, packed) for each, packed in found.items()] == [there]


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
async def test_the_file_is_for_its_owner_alone(address: str, store: Store) -> None:
    """It holds secrets of webhooks; so do the files that SQLite makes beside it."""
    await publish(store, envelope(snapshot(READ)), NOW)
    path = Path(address.removeprefix("sqlite:///"))
    assert {each.stat().st_mode & 0o777 for each in path.parent.glob(f"{path.name}*")} == {0o600}


async def test_a_character_that_no_text_has_finds_nothing(store: Store) -> None:
    """PostgreSQL takes no U+0000 at all; whoever asks with one hears what SQLite says: there is nothing."""
    await publish(store, envelope(snapshot(READ)), NOW)

    assert await store.version(FILES, "1.0.0\0") is None
    assert await store.payload(FILES, "\0") is None
    assert await store.namespace("\0") is None
    assert (await store.search(Search(argument="path", argument_type="string\0"))).items == ()
    assert (await store.search(Search(annotation=("readOnlyHint\0", "\0"), namespace="\0"))).items == ()
