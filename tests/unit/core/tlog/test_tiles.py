"""Tiles and bundles: where they are served, and what is in them."""

import pytest

from avow.core.tlog.tiles import (
    Bundle,
    Served,
    Tile,
    bundle_with,
    dump_bundle,
    hash_in,
    read_bundle,
    read_path,
    read_tile,
    tile_with,
)
from avow.core.tlog.tree import Node
from avow.errors import MalformedInputError
from small_log import SmallLog, served_at

LOG = SmallLog.of(600)


@pytest.mark.parametrize(
    ("served", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(3, 1_234_067), "tile/3/x001/x234/067"),
        (Tile(1, 999, 7), "tile/1/999.p/7"),
        (Tile(63, 1000, 255), "tile/63/x001/000.p/255"),
        (Bundle(0, 1), "tile/entries/000.p/1"),
        (Bundle(2**55 - 1), "tile/entries/x036/x028/x797/x018/x963/967"),
    ],
)
def test_a_path_for_each(served: Served, path: str) -> None:
    assert served.path == path
    assert read_path(path) == served


@pytest.mark.parametrize(
    "path",
    [
        "",
        "tile",
        "tile/0",
        "/tile/0/000",
        "tile/0/000/",
        "tile/0/0",
        "tile/00/000",
        "tile/64/000",
        "tile/-1/000",
        "tile/data/000",
        "tile/0/x000/000",
        "tile/0/001/x000",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/257",
        "tile/0/000.p/",
        "tile/0/\u0660\u0660\u0660",
        "tile/0/../000",
        "tile/0/000\n",
        "tile/entries/x999/x999/x999/x999/x999/x999/999",
        "tile/0/" + "x001/" * 5000 + "000",
    ],
)
def test_nothing_is_served_elsewhere(path: str) -> None:
    with pytest.raises(MalformedInputError, match="not the path of a tile"):
        read_path(path)


def test_the_files_of_a_tree_of_the_specification() -> None:
    """273 full tiles and one of width 112; one full and one of width 17; one of width 1."""
    paths = [served.path for served in served_at(70_000)]

    assert len([path for path in paths if path.startswith("tile/entries/")]) == 274
    assert len([path for path in paths if path.startswith("tile/0/")]) == 274
    assert paths[-4:] == ["tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"]
    assert [served.path for served in served_at(256)] == ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]
    assert served_at(0) == []


def test_a_tree_has_the_tiles_it_serves_and_no_wider_ones() -> None:
    for served in served_at(600):
        assert served.is_part_of(600)
        assert read_path(served.path) == served
    for wider in (Tile(0, 2, 89), Tile(0, 2), Tile(1, 0, 3), Tile(2, 0, 1), Bundle(2, 89), Bundle(3, 1)):
        assert not wider.is_part_of(600)
    assert Tile(0, 2, 87).is_part_of(600)


def test_every_subtree_is_found_in_a_tile() -> None:
    for node, value in LOG.nodes.items():
        tile = tile_with(node, LOG.size)
        assert hash_in(read_tile(LOG.serve(tile), tile), tile, node) == value


def test_the_root_of_a_whole_tile_is_in_the_tile_above() -> None:
    assert tile_with(Node(8, 1), 600) == Tile(1, 0, 2)
    assert tile_with(Node(7, 3), 600) == Tile(0, 1)


def test_a_bundle_reads_back() -> None:
    bundle = bundle_with(599, 600)

    assert bundle == Bundle(2, 88)
    assert read_bundle(LOG.serve(bundle), bundle) == tuple(LOG.entries[512:])
    assert bundle_with(0, 600) == Bundle(0)


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\0\1", b"\0\1a", b"\0\1a\0", b"\0\1a\0\2b", b"\0\1a\0\1b\0", b"\0\1a\0\1b\0\0"]
)
def test_a_bundle_that_is_too_long_or_too_short(data: bytes) -> None:
    assert dump_bundle([b"a", b"b"]) == b"\0\1a\0\1b"
    with pytest.raises(MalformedInputError, match=r"ends within an entry|goes on after"):
        read_bundle(data, Bundle(0, 2))


@pytest.mark.parametrize("length", [0, 63, 65, 96])
def test_a_tile_that_is_too_long_or_too_short(length: int) -> None:
    with pytest.raises(MalformedInputError, match=rf"tile/0/000\.p/2 has {length} bytes, not 64"):
        read_tile(b"x" * length, Tile(0, 0, 2))
