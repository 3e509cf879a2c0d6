"""Tiles (C2SP tlog-tiles): the tree and its entries as files that anybody can fetch, keep and check.

A tile holds 256 hashes side by side, a bundle the 256 entries below a tile of the lowest level; the last
of each may hold fewer. What a tile says is to be trusted once it leads to a signed root, not before.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from avow.core.tlog.hashing import HASH_LENGTH, node_hash
from avow.core.tlog.tree import MAX_SIZE, Node
from avow.errors import MalformedInputError

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
MAX_ENTRY: Final = 65_535
MAX_BUNDLE: Final = WIDTH * (2 + MAX_ENTRY)

_LARGEST: Final = MAX_SIZE >> HEIGHT
_PATH: Final = re.compile(
    r"tile/(?P<level>entries|[0-9]|[1-5][0-9]|6[0-3])"
    r"/(?P<number>(?:x[0-9]{3}/){0,6}[0-9]{3})"
    r"(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True, slots=True)
class Tile:
    """Hashes of complete subtrees, of the level `8 * level` of the tree, from `256 * number` on."""

    level: int
    number: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """Where it is served, below the prefix of the log."""
        return f"tile/{self.level}/{_file(self.number, self.width)}"

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The subtrees whose hashes it holds."""
        first = self.number * WIDTH
        return tuple(Node(HEIGHT * self.level, first + place) for place in range(self.width))

    def is_part_of(self, size: int) -> bool:
        """Whether a tree of this size has it."""
        return self.number * WIDTH + self.width <= size >> (HEIGHT * self.level)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Entries, from `256 * number` on."""

    number: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """Where it is served, below the prefix of the log."""
        return f"tile/entries/{_file(self.number, self.width)}"

    @property
    def entries(self) -> range:
        """The indices of the entries it holds."""
        return range(self.number * WIDTH, self.number * WIDTH + self.width)

    def is_part_of(self, size: int) -> bool:
        """Whether a log of this size has it."""
        return self.entries.stop <= size


Served: TypeAlias = Tile | Bundle


def read_path(path: str) -> Served:
    """The inverse of `path`.

    Raises:
        MalformedInputError: nothing is ever served there.
    """
    found = _PATH.fullmatch(path)
    if found is not None:
        level, width = found["level"], int(found["width"] or WIDTH)
        number = int(found["number"].replace("/", "").replace("x", ""))
        served = Bundle(number, width) if level == "entries" else Tile(int(level), number, width)
        # A number with leading zeros too many, and a width of 256 that is spelled out, have another path.
        if number <= _LARGEST and width <= WIDTH and served.path == path:
            return served
    raise MalformedInputError("this is not the path of a tile")


def tile_with(node: Node, size: int) -> Tile:
    """The tile, of a tree of this size, that `hash_in` finds a complete subtree in."""
    level, above = divmod(node.level, HEIGHT)
    number = node.number << above >> HEIGHT
    return Tile(level, number, min(WIDTH, (size >> HEIGHT * level) - number * WIDTH))


def bundle_with(index: int, size: int) -> Bundle:
    """The bundle, of a log of this size, that holds an entry."""
    number = index // WIDTH
    return Bundle(number, min(WIDTH, size - number * WIDTH))


def dump_tile(hashes: Sequence[bytes]) -> bytes:
    """The bytes of a tile."""
    return b"".join(hashes)


def read_tile(data: bytes, tile: Tile) -> tuple[bytes, ...]:
    """The hashes in a tile.

    Raises:
        MalformedInputError: it is too long or too short.
    """
    if len(data) != tile.width * HASH_LENGTH:
        raise MalformedInputError(f"{tile.path} has {len(data)} bytes, not {tile.width * HASH_LENGTH}")
    return tuple(data[place : place + HASH_LENGTH] for place in range(0, len(data), HASH_LENGTH))


def hash_in(hashes: Sequence[bytes], tile: Tile, node: Node) -> bytes:
    """The hash of a complete subtree, from the tile that `tile_with` names."""
    above = node.level - HEIGHT * tile.level
    first = (node.number << above) - tile.number * WIDTH
    level = list(hashes[first : first + (1 << above)])
    while len(level) > 1:
        level = [node_hash(*level[place : place + 2]) for place in range(0, len(level), 2)]
    return level[0]


def dump_bundle(entries: Sequence[bytes]) -> bytes:
    """The bytes of a bundle: each entry after its length in two bytes."""
    return b"".join(len(entry).to_bytes(2) + entry for entry in entries)


def read_bundle(data: bytes, bundle: Bundle) -> tuple[bytes, ...]:
    """The entries in a bundle.

    Raises:
        MalformedInputError: it holds more or fewer, or part of one.
    """
    entries: list[bytes] = []
    place = 0
    while len(entries) < bundle.width:
        end = place + 2 + int.from_bytes(data[place : place + 2])
        if end > len(data) or place + 2 > len(data):
            raise MalformedInputError(f"{bundle.path} ends within an entry")
        entries.append(data[place + 2 : end])
        place = end
    if place != len(data):
        raise MalformedInputError(f"{bundle.path} goes on after its last entry")
    return tuple(entries)


def _file(number: int, width: int) -> str:
    digits = str(number)
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *groups, last = (digits[place : place + 3] for place in range(0, len(digits), 3))
    return "".join(f"x{group}/" for group in groups) + last + ("" if width == WIDTH else f".p/{width}")
