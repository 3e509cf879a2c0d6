"""The whole log checked, or all that is new in it: every entry is hashed again, and leads to the root."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from avow.core.tlog.checkpoint import Checkpoint
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.tiles import (
    WIDTH,
    Served,
    Tile,
    bundle_with,
    hash_in,
    read_bundle,
    read_tile,
    tile_with,
)
from avow.core.tlog.tree import Node, Read, new_nodes, nodes_of_root, root
from avow.errors import VerificationError

Fetch: TypeAlias = Callable[[Served], bytes]
"""The bytes that a log serves as a tile or a bundle."""


def verify_log(size: int, expected: bytes, entries: Iterable[bytes], read: Read, *, every: int = 1) -> None:
    """Check that the entries, and every stored hash over them, are those of the tree with this root.

    `every` says which levels `read` knows: 1 for all, 8 for those in tiles. Memory is bounded.

    Raises:
        VerificationError: an entry is missing, one too many or changed, or a stored hash is.
    """
    edge: dict[Node, bytes] = {}
    count = 0
    for entry in entries:
        added = new_nodes(count, [leaf_hash(entry)], edge.__getitem__)
        for node, value in added:
            if node.level % every == 0 and read(node) != value:
                raise VerificationError(
                    f"a stored hash over entry {count} of the log is not the one of its entries",
                    hint="the entry or the hash was changed after it was written",
                )
        count += 1
        found = {**edge, **dict(added)}
        edge = {node: found[node] for node in nodes_of_root(count)}
    if count != size or root(size, edge.__getitem__) != expected:
        raise VerificationError(
            f"the {count} entries are not those of the checkpoint of {size}",
            hint="an entry was changed, added or removed",
        )


def verify_tiles(size: int, expected: bytes, fetch: Fetch) -> None:
    """Check everything that a log serves against a root; every tile and bundle is fetched once, in order.

    Raises:
        MalformedInputError: something is not a tile or a bundle.
        VerificationError: something is not what the root says.
    """
    bundles = (bundle_with(first, size) for first in range(0, size, WIDTH))
    entries = (entry for bundle in bundles for entry in read_bundle(fetch(bundle), bundle))
    verify_log(size, expected, entries, _reader(size, fetch), every=8)


def new_entries(
    old: Checkpoint, new: Checkpoint, fetch: Fetch, wanted: Callable[[bytes], bool]
) -> dict[int, bytes]:
    """Those of the entries since an old checkpoint that somebody wants, by index, once both roots result.

    Every bundle from the old size on is fetched once, in order, and a tile or two for what was before.

    Raises:
        MalformedInputError: something is not a tile or a bundle.
        VerificationError: the log of the new size is not the old one with these entries.
    """
    refusal = VerificationError(
        f"the log of {new.size} entries is not that of {old.size} with the entries it serves since then",
        hint="an entry was changed, added or removed",
    )
    if old.size > new.size:
        raise refusal
    read = _reader(new.size, fetch)
    edge = {node: read(node) for node in nodes_of_root(old.size)}
    if root(old.size, edge.__getitem__) != old.root:
        raise refusal
    found: dict[int, bytes] = {}
    for first in range(old.size - old.size % WIDTH, new.size, WIDTH):
        bundle, begin = bundle_with(first, new.size), max(first, old.size)
        added = read_bundle(fetch(bundle), bundle)[begin - first :]
        found |= {index: entry for index, entry in enumerate(added, begin) if wanted(entry)}
        known = edge | dict(new_nodes(begin, [leaf_hash(entry) for entry in added], edge.__getitem__))
        edge = {node: known[node] for node in nodes_of_root(begin + len(added))}
    if root(new.size, edge.__getitem__) != new.root:
        raise refusal
    return found


def _reader(size: int, fetch: Fetch) -> Read:
    """Reads hashes from tiles, of which the last of each level is kept."""
    tiles: dict[int, tuple[Tile, tuple[bytes, ...]]] = {}

    def read(node: Node) -> bytes:
        tile = tile_with(node, size)
        if tile.level not in tiles or tiles[tile.level][0] != tile:
            tiles[tile.level] = (tile, read_tile(fetch(tile), tile))
        return hash_in(tiles[tile.level][1], tile, node)

    return read
