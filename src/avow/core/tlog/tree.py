"""A Merkle tree that only grows, kept as the hashes of its complete subtrees.

A complete subtree never changes again, so its hash is stored once and for good. Roots and proofs are folded
from a few of them: `nodes_of_…` says which, so that a store can fetch them in one question.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from avow.core.tlog.hashing import EMPTY_ROOT, node_hash

MAX_SIZE: Final = 2**63 - 1


class Node(NamedTuple):
    """The complete subtree over the leaves from `number << level` to `(number + 1) << level`, exclusive."""

    level: int
    number: int


Read: TypeAlias = Callable[[Node], bytes]
"""The stored hash of a complete subtree; of a dictionary, its `__getitem__`."""

_Span: TypeAlias = tuple[int, int]


def new_nodes(size: int, leaf_hashes: Sequence[bytes], read: Read) -> list[tuple[Node, bytes]]:
    """What to store when these leaves are appended to a tree of this size; reads `nodes_of_root(size)`."""
    edge = {node.level: read(node) for node in nodes_of_root(size)}
    added = []
    for index, value in enumerate(leaf_hashes, size):
        node = Node(0, index)
        added.append((node, value))
        while node.number & 1:
            value = node_hash(edge.pop(node.level), value)
            node = Node(node.level + 1, node.number >> 1)
            added.append((node, value))
        edge[node.level] = value
    return added


def nodes_of_root(size: int) -> tuple[Node, ...]:
    """What `root` reads."""
    return _cover(0, _checked(size))


def root(size: int, read: Read) -> bytes:
    """The hash of the tree of this size."""
    return _fold((0, _checked(size)), read) if size else EMPTY_ROOT


def nodes_of_inclusion(index: int, size: int) -> tuple[Node, ...]:
    """What `inclusion_proof` reads."""
    return tuple(node for span in _inclusion(index, size) for node in _cover(*span))


def inclusion_proof(index: int, size: int, read: Read) -> tuple[bytes, ...]:
    """What shows that a leaf is in the tree of this size, beside the leaf and the root.

    Raises:
        ValueError: a tree of this size has no such leaf.
    """
    return tuple(_fold(span, read) for span in _inclusion(index, size))


def nodes_of_consistency(old: int, new: int) -> tuple[Node, ...]:
    """What `consistency_proof` reads."""
    return tuple(node for span in _consistency(old, new) for node in _cover(*span))


def consistency_proof(old: int, new: int, read: Read) -> tuple[bytes, ...]:
    """What shows that the tree of the new size begins with all of the old one, beside both roots.

    Raises:
        ValueError: the new size is smaller than the old one.
    """
    return tuple(_fold(span, read) for span in _consistency(old, new))


def _inclusion(index: int, size: int) -> list[_Span]:
    """RFC 9162, section 2.1.3.1: the subtrees beside the way from the leaf to the root, from below."""
    if not 0 <= index < _checked(size):
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    first, last, beside = 0, size, []
    while last - first > 1:
        middle = _split(first, last)
        if index < middle:
            beside.append((middle, last))
            last = middle
        else:
            beside.append((first, middle))
            first = middle
    return beside[::-1]


def _consistency(old: int, new: int) -> list[_Span]:
    """RFC 9162, section 2.1.4.1: the subtrees that both trees share, and those that only the new one has."""
    if not 0 <= old <= _checked(new):
        raise ValueError(f"a tree of {new} leaves cannot begin with one of {old}")
    if old == 0:
        return []
    first, last, beside = 0, new, []
    while last != old:
        middle = _split(first, last)
        if old <= middle:
            beside.append((middle, last))
            last = middle
        else:
            beside.append((first, middle))
            first = middle
    if first:  # otherwise the last subtree is the whole old tree, whose root the verifier has
        beside.append((first, last))
    return beside[::-1]


def _split(first: int, last: int) -> int:
    """Where a tree of more than one leaf divides: the left part is the largest complete one."""
    return first + (1 << (last - first - 1).bit_length() - 1)


def _cover(first: int, last: int) -> tuple[Node, ...]:
    """The complete subtrees that a subtree consists of, the largest first."""
    nodes = []
    while first < last:
        level = (last - first).bit_length() - 1
        nodes.append(Node(level, first >> level))
        first += 1 << level
    return tuple(nodes)


def _fold(span: _Span, read: Read) -> bytes:
    *others, last = _cover(*span)
    value = read(last)
    for node in reversed(others):
        value = node_hash(read(node), value)
    return value


def _checked(size: int) -> int:
    if not 0 <= size <= MAX_SIZE:
        raise ValueError(f"{size} is not the size of a tree")
    return size
