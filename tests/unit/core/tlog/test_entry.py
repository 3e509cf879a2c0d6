"""Entries: frozen, each with one spelling."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from avow.core.tlog.entry import MAX_REASON, ApprovalEntry, KeyEntry, PublicationEntry, dumps, loads
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.tiles import MAX_ENTRY
from avow.errors import MalformedInputError

TESTS = Path(__file__).parents[3]
VECTORS = json.loads((TESTS / "vectors" / "tlog" / "entries.json").read_text(encoding="utf-8"))
DOCUMENTATION = (TESTS.parent / "docs" / "registry-log.md").read_text(encoding="utf-8")
TYPES = ["publication", "approval", "namespace", "key"]


@pytest.mark.parametrize("vector", VECTORS["entries"], ids=TYPES)
def test_an_entry_reads_back(vector: dict[str, str]) -> None:
    data = vector["entry"].encode()

    assert dumps(loads(data)) == data
    assert leaf_hash(data).hex() == vector["leaf_hex"]


@pytest.mark.parametrize("name", VECTORS["refused"])
def test_what_is_not_an_entry(name: str) -> None:
    with pytest.raises(MalformedInputError):
        loads(VECTORS["refused"][name].encode())


def test_a_publication_says_what_was_published_and_who_signed() -> None:
    assert loads(VECTORS["entries"][0]["entry"].encode()) == PublicationEntry(
        time="2026-11-15T14:35:50.123Z",
        name="io.github.owner/files",
        version="1.4.0",
        digest="sha256:" + "1" * 64,
        content="sha256:" + "2" * 64,
        key="sha256:" + "3" * 64,
    )


def test_a_rotation_is_one_entry() -> None:
    entry = loads(VECTORS["entries"][3]["entry"].encode())

    assert isinstance(entry, KeyEntry)
    assert entry.added == ("sha256:" + "4" * 64,)
    assert entry.revoked == ("sha256:" + "3" * 64,)


def test_the_longest_entry_fits() -> None:
    """Control characters take six bytes each: there is nothing longer to say."""
    entry = loads(VECTORS["entries"][1]["entry"].encode())
    assert isinstance(entry, ApprovalEntry)
    long = "\x01" * 255

    data = dumps(
        replace(entry, name=long, version=long, environment=long, by=long, reason="\x01" * MAX_REASON)
    )

    assert 50_000 < len(data) <= MAX_ENTRY
    with pytest.raises(MalformedInputError, match="the reason of an entry"):
        dumps(replace(entry, reason="x" * (MAX_REASON + 1)))


def test_the_most_keys_fit() -> None:
    entry = loads(VECTORS["entries"][3]["entry"].encode())
    assert isinstance(entry, KeyEntry)

    assert len(dumps(replace(entry, added=entry.added * 100, revoked=entry.revoked * 100))) <= MAX_ENTRY
    with pytest.raises(MalformedInputError, match="the added of an entry"):
        dumps(replace(entry, added=entry.added * 101))


def test_a_lone_surrogate_is_not_a_character() -> None:
    entry = loads(VECTORS["entries"][1]["entry"].encode())
    assert isinstance(entry, ApprovalEntry)

    with pytest.raises(MalformedInputError):
        dumps(replace(entry, reason="\ud800"))


def test_an_entry_is_short() -> None:
    with pytest.raises(MalformedInputError, match="at most 65535 bytes"):
        loads(b" " * (MAX_ENTRY + 1))


def test_the_documentation_names_every_member_and_its_example_is_an_entry() -> None:
    for vector in VECTORS["entries"]:
        entry = loads(vector["entry"].encode())
        assert f"### `{entry.type}`" in DOCUMENTATION
        for member in fields(entry):
            assert f"`{member.name}`" in DOCUMENTATION
    example = DOCUMENTATION.split("```json\n")[1].split("\n```")[0]
    assert isinstance(loads(example.encode()), PublicationEntry)
