"""A payload is whole again to the byte, without a look into its definitions, or not at all."""

import json
import zlib
from typing import Any

import pytest

from avow.core.canonical import Digest, canonical, digest_of, parse_json
from avow.core.capability import Kind
from avow.core.publication import Publication, publication_payload, read_publication
from avow.core.risk import Risk, assess
from avow.core.snapshot import Snapshot
from avow.errors import StorageError
from avow.registry.store.joining import payload_of
from avow.registry.store.packing import Stored, pack, squeeze
from registry_hostile import releases as hostile_releases
from registry_samples import FILES, READ, snapshot
from registry_showcase import SHOWN, releases

Key = tuple[Kind, Digest]
ODD: dict[str, Any] = {
    "name": "odd",
    "description": None,
    "inputSchema": {"type": "object", "minimum": 1e-7, "maximum": 2**60, "\U0001f600": 1, "\uffff": 2},
    "annotations": {},
    "outputSchema": True,
}
WHOLE = [
    snapshot(READ, ODD, {**ODD, "name": "other", "description": '\u00fc \U0001f600 \\ "'}),
    *(release.snapshot for release in hostile_releases()),
    *(release.snapshot for _, package in SHOWN for release in releases(package)[-1:]),
]


def packed(payload: bytes) -> tuple[Publication, bytes, dict[Key, Stored]]:
    publication = read_publication(payload)
    ratings: dict[Key, Risk] = {}
    stored: dict[Key, Stored] = {}
    for one in publication.snapshot.signature:
        risk = ratings[one.kind, one.digest] = assess(one)
        definition = squeeze(canonical(one.definition))
        stored[one.kind, one.digest] = Stored(definition, risk.level, json.dumps(risk.reasons))
    return publication, pack(publication, payload, ratings), stored


@pytest.mark.parametrize("shown", WHOLE)
def test_what_was_packed_is_whole_to_the_byte(shown: Snapshot) -> None:
    payload = publication_payload(FILES, "1.0", shown)
    publication, body, stored = packed(payload)

    assert payload_of(body, publication.content, stored) == payload


def test_what_a_publisher_says_differently_is_kept() -> None:
    """Another rating, another component, members that nobody knows: they were signed as they are."""
    document = parse_json(publication_payload(FILES, "1.0", snapshot(READ)))
    entry = document["snapshot"]["tools"][0]
    entry["risk"] = {"level": "low", "reasons": ["trust me"]}
    entry["components"]["future"] = "sha256:00"
    entry["\U0001f600"], entry["\uffff"] = [1], {}
    publication, body, stored = packed(canonical(document))

    assert payload_of(body, publication.content, stored) == canonical(document)


def test_another_notation_is_kept_whole() -> None:
    payload = json.dumps(parse_json(publication_payload(FILES, "1.0", snapshot(READ))), indent=1).encode()
    publication, body, stored = packed(payload)

    assert publication.content != digest_of(payload)
    assert payload_of(body, publication.content, stored) == payload


def test_every_changed_bit_of_a_body_is_noticed() -> None:
    """What comes back is what was signed, or an error of ours."""
    payload = publication_payload(FILES, "1.0", snapshot(READ))
    publication, body, stored = packed(payload)
    for place in range(0, len(body) * 8, 3):
        flipped = bytearray(body)
        flipped[place // 8] ^= 1 << place % 8
        try:
            found = payload_of(bytes(flipped), publication.content, stored)
        except StorageError:
            continue
        assert found == payload


@pytest.mark.parametrize(
    "definition",
    [b"", b"no zlib", zlib.compress(b"{"), zlib.compress(b"[]"), zlib.compress(b'{"name": "x"}')],
)
def test_a_changed_definition_is_noticed(definition: bytes) -> None:
    publication, body, stored = packed(publication_payload(FILES, "1.0", snapshot(READ)))
    (key,) = stored
    with pytest.raises(StorageError):
        payload_of(
            body, publication.content, {key: Stored(definition, stored[key].risk, stored[key].reasons)}
        )
    with pytest.raises(StorageError, match="is not what was signed"):
        payload_of(body, publication.content, {})
