"""A payload is stored without its definitions; that it is whole again is a matter of joining."""

import zlib

import pytest

from avow.core.capability import Kind
from avow.core.publication import publication_payload, read_publication
from avow.core.risk import assess
from avow.errors import StorageError
from avow.registry.store.packing import outline, pack, read_stored, restored, squeeze
from registry_samples import FILES, READ, WRITE, snapshot


def test_what_many_versions_share_is_not_in_a_body() -> None:
    payload = publication_payload(FILES, "1.0", snapshot(READ, WRITE, prompts=[{"name": "ask"}]))
    publication = read_publication(payload)
    ratings = {(one.kind, one.digest): assess(one) for one in publication.snapshot.signature}

    body = pack(publication, payload, ratings)

    assert len(body) < len(payload) / 3
    (first, *_) = outline(body)["snapshot"]["tools"]
    assert set(first) == {"name", "digest"}


@pytest.mark.parametrize(
    "definition", [b"", b"no zlib", zlib.compress(b"{"), zlib.compress(b'{"name": "x"}')]
)
def test_a_changed_definition_is_noticed(definition: bytes) -> None:
    (tool,) = snapshot(READ).signature

    with pytest.raises(StorageError, match="is damaged"):
        read_stored(Kind.TOOL, tool.digest, definition)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 511, 512, 1_000, 4_096, 33_000, 200_000])
def test_data_of_any_size_comes_back(size: int) -> None:
    """And is about as small as with the usual window, which other readers and older files have."""
    data = (b'{"description": "The path to use", "type": "string"}, ' * (size // 50 + 1))[:size]

    assert restored(squeeze(data)) == data
    assert restored(zlib.compress(data)) == data
    assert len(squeeze(data)) <= len(zlib.compress(data, 1)) * 1.05 + 1
