"""A log in memory, made of what `avow.core.tlog` offers, for tests that need one to read, prove or forge."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from avow.core.keys import PrivateKey
from avow.core.tlog import tree
from avow.core.tlog.checkpoint import Checkpoint, sign_checkpoint
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import Signer
from avow.core.tlog.tiles import HEIGHT, WIDTH, Served, Tile, bundle_with, dump_bundle, dump_tile, tile_with
from avow.core.tlog.tree import Node

SIGNER = Signer("log.example/test", PrivateKey(bytes(range(32))))


@dataclass
class SmallLog:
    entries: list[bytes] = field(default_factory=list)
    nodes: dict[Node, bytes] = field(default_factory=dict)
    signer: Signer = SIGNER

    @classmethod
    def of(cls, entries: Iterable[bytes] | int) -> "SmallLog":
        """A log with these entries, or with as many."""
        log = cls()
        log.append(
            *([b"entry %d" % index for index in range(entries)] if isinstance(entries, int) else entries)
        )
        return log

    @property
    def size(self) -> int:
        return len(self.entries)

    def append(self, *entries: bytes) -> None:
        hashes = [leaf_hash(entry) for entry in entries]
        self.nodes.update(tree.new_nodes(self.size, hashes, self.nodes.__getitem__))
        self.entries += entries

    def root(self, size: int | None = None) -> bytes:
        return tree.root(self.size if size is None else size, self.nodes.__getitem__)

    def inclusion(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        return tree.inclusion_proof(index, self.size if size is None else size, self.nodes.__getitem__)

    def consistency(self, old: int, new: int | None = None) -> tuple[bytes, ...]:
        return tree.consistency_proof(old, self.size if new is None else new, self.nodes.__getitem__)

    def checkpoint(self, size: int | None = None) -> bytes:
        size = self.size if size is None else size
        return sign_checkpoint(Checkpoint(self.signer.name, size, self.root(size)), self.signer)

    def serve(self, served: Served) -> bytes:
        if isinstance(served, Tile):
            return dump_tile([self.nodes[node] for node in served.nodes])
        return dump_bundle([self.entries[index] for index in served.entries])


def served_at(size: int) -> list[Served]:
    """Every tile and bundle of a log of this size, from below."""
    found: list[Served] = [bundle_with(first, size) for first in range(0, size, WIDTH)]
    level = 0
    while hashes := size >> HEIGHT * level:
        found += [tile_with(Node(HEIGHT * level, first), size) for first in range(0, hashes, WIDTH)]
        level += 1
    return found
