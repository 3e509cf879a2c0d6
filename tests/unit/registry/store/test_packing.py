"""A payload is stored without its definitions, and whole again to the byte or not at all."""

import json
import zlib

import pytest

from avow.core.canonical import Digest, canonical, digest_of, parse_json
from avow.core.capability import Kind
from avow.core.publication import Publication, publication_payload, read_publication
from avow.core.risk import Risk, assess
from avow.errors import StorageError
from avow.registry.store.packing import Stored, outline, pack, restored, squeeze, unpack
from registry_samples import FILES, READ, WRITE, snapshot

Key = tuple[Kind, Digest]


def packed(payload: bytes) -> tuple[Publication, bytes, dict[Key, Stored]]:
    publication = read_publication(payload)
    ratings: dict[Key, Risk] = {}
    stored: dict[Key, Stored] = {}
    for one in publication.snapshot.signature:
        risk = ratings[one.kind, one.digest] = assess(one)
        definition = squeeze(canonical(one.definition))
        stored[one.kind, one.digest] = Stored(definition, risk.level, json.dumps(risk.reasons))
    return publication, pack(publication, payload, ratings), stored


def test_what_was_packed_is_unpacked_to_the_byte() -> None:
    """And the body is much smaller: what many versions share is not in it."""
    payload = publication_payload(FILES, "1.0", snapshot(READ, WRITE, prompts=[{"name": "ask"}]))
    publication, body, stored = packed(payload)

    assert unpack(body, publication.content, stored) == payload
    assert len(body) < len(payload) / 3
    (first, *_) = outline(body)["snapshot"]["tools"]
    assert set(first) == {"name", "digest"}


def test_what_a_publisher_says_differently_is_kept() -> None:
    """Another rating, another component, members that nobody knows: they were signed as they are."""
    document = parse_json(publication_payload(FILES, "1.0", snapshot(READ)))
    entry = document["snapshot"]["tools"][0]
    entry["risk"] = {"level": "low", "reasons": ["trust me"]}
    entry["components"]["future"] = "sha256:00"
    entry["unknown"] = [1]
    publication, body, stored = packed(canonical(document))

    assert unpack(body, publication.content, stored) == canonical(document)


def test_another_notation_is_kept_whole() -> None:
    payload = json.dumps(parse_json(publication_payload(FILES, "1.0", snapshot(READ))), indent=1).encode()
    publication, body, stored = packed(payload)

    assert publication.content != digest_of(payload)
    assert unpack(body, publication.content, stored) == payload


def test_every_changed_bit_of_a_body_is_noticed() -> None:
    """What comes back is what was signed, or an error of ours."""
    payload = publication_payload(FILES, "1.0", snapshot(READ))
    publication, body, stored = packed(payload)
    for place in range(8, len(body) * 8, 3):
        flipped = bytearray(body)
        flipped[place // 8] ^= 1 << place % 8
        try:
            found = unpack(bytes(flipped), publication.content, stored)
        except StorageError:
            continue
        assert found == payload


@pytest.mark.parametrize(
    "definition", [b"", b"no zlib", zlib.compress(b"{"), zlib.compress(b'{"name": "x"}')]
)
def test_a_changed_definition_is_noticed(definition: bytes) -> None:
    publication, body, stored = packed(publication_payload(FILES, "1.0", snapshot(READ)))
    (key,) = stored
    with pytest.raises(StorageError):
        unpack(body, publication.content, {key: Stored(definition, stored[key].risk, stored[key].reasons)})
    with pytest.raises(StorageError, match="is not what was signed"):
        unpack(body, publication.content, {})


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 511, 512, 1_000, 4_096, 33_000, 200_000])
def test_data_of_any_size_comes_back(size: int) -> None:
    """And is about as small as with the usual window, which other readers and older files have."""
    data = (b'{"description": "The path to use", "type": "string"}, ' * (size // 50 + 1))[:size]

    assert restored(squeeze(data)) == data
    assert restored(zlib.compress(data)) == data
    assert len(squeeze(data)) <= len(zlib.compress(data, 1)) * 1.05 + 1
