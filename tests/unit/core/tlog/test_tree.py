"""Trees, roots and proofs: the published ones, and every refusal."""

import json
from pathlib import Path
from typing import Any

import pytest

from avow.core.tlog import tree
from avow.core.tlog.hashing import EMPTY_ROOT, leaf_hash
from avow.core.tlog.proofs import verify_consistency, verify_inclusion
from avow.core.tlog.tree import MAX_SIZE, Node
from avow.errors import VerificationError
from small_log import SmallLog

VECTORS = json.loads(
    (Path(__file__).parents[3] / "vectors" / "tlog" / "trees.json").read_text(encoding="utf-8")
)
ROOTS = [bytes.fromhex(root) for root in VECTORS["roots_hex"]]
LOG = SmallLog.of([bytes.fromhex(leaf) for leaf in VECTORS["leaves_hex"]])


def hashes(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(text) for text in texts)


def test_the_published_roots() -> None:
    assert [LOG.root(size) for size in range(9)] == ROOTS
    assert ROOTS[0] == EMPTY_ROOT


@pytest.mark.parametrize(
    "vector", VECTORS["inclusion"], ids=lambda each: f"{each['index']} of {each['size']}"
)
def test_every_inclusion_proof(vector: dict[str, Any]) -> None:
    index, size, proof = vector["index"], vector["size"], hashes(vector["proof_hex"])

    assert LOG.inclusion(index, size) == proof
    verify_inclusion(leaf_hash(LOG.entries[index]), index, size, proof, ROOTS[size])


@pytest.mark.parametrize("vector", VECTORS["consistency"], ids=lambda each: f"{each['from']} to {each['to']}")
def test_every_consistency_proof(vector: dict[str, Any]) -> None:
    old, new, proof = vector["from"], vector["to"], hashes(vector["proof_hex"])

    assert LOG.consistency(old, new) == proof
    verify_consistency(old, new, proof, ROOTS[old], ROOTS[new])


def test_a_store_can_fetch_what_a_proof_needs_at_once() -> None:
    """Nothing else is read: a dictionary of just these nodes is enough."""
    for size in range(1, 9):
        needed = {node: LOG.nodes[node] for node in tree.nodes_of_root(size)}
        assert tree.root(size, needed.__getitem__) == ROOTS[size]
        for index in range(size):
            needed = {node: LOG.nodes[node] for node in tree.nodes_of_inclusion(index, size)}
            assert tree.inclusion_proof(index, size, needed.__getitem__) == LOG.inclusion(index, size)
            needed = {node: LOG.nodes[node] for node in tree.nodes_of_consistency(index, size)}
            assert tree.consistency_proof(index, size, needed.__getitem__) == LOG.consistency(index, size)


def test_appending_reads_only_the_right_edge() -> None:
    edge = {node: LOG.nodes[node] for node in tree.nodes_of_root(5)}

    added = dict(tree.new_nodes(5, [leaf_hash(entry) for entry in LOG.entries[5:]], edge.__getitem__))

    assert set(added) == {Node(0, 5), Node(1, 2), Node(0, 6), Node(0, 7), Node(1, 3), Node(2, 1), Node(3, 0)}
    assert all(LOG.nodes[node] == value for node, value in added.items())


def test_trees_that_cannot_be() -> None:
    for size in (-1, MAX_SIZE + 1):
        with pytest.raises(ValueError, match="not the size of a tree"):
            tree.nodes_of_root(size)
    for index, size in ((0, 0), (3, 3), (-1, 3)):
        with pytest.raises(ValueError, match="has no leaf"):
            tree.nodes_of_inclusion(index, size)
    for old, new in ((4, 3), (-1, 3)):
        with pytest.raises(ValueError, match="cannot begin with"):
            tree.nodes_of_consistency(old, new)


@pytest.mark.parametrize(
    ("index", "size", "proof"),
    [
        (-1, 8, LOG.inclusion(0)),
        (8, 8, LOG.inclusion(7)),
        (0, MAX_SIZE + 1, LOG.inclusion(0)),
        (1, 8, LOG.inclusion(0)),
        (0, 4, LOG.inclusion(0)),
        (0, 8, LOG.inclusion(0)[:-1]),
        (0, 8, (*LOG.inclusion(0), ROOTS[1])),
        (0, 8, LOG.inclusion(0)[::-1]),
        (0, 8, (LOG.inclusion(0)[0][:-1], *LOG.inclusion(0)[1:])),
        (0, 8, (ROOTS[1],) * 10_000),
    ],
)
def test_an_inclusion_proof_of_something_else_is_refused(
    index: int, size: int, proof: tuple[bytes, ...]
) -> None:
    with pytest.raises(VerificationError, match="does not show that entry"):
        verify_inclusion(leaf_hash(LOG.entries[0]), index, size, proof, ROOTS[8])


def test_a_leaf_that_is_no_hash_is_refused() -> None:
    with pytest.raises(VerificationError):
        verify_inclusion(b"", 0, 1, (), b"")


@pytest.mark.parametrize(
    ("old", "new", "proof"),
    [
        (-1, 8, ()),
        (6, 5, ()),
        (6, MAX_SIZE + 1, LOG.consistency(6)),
        (6, 8, ()),
        (6, 8, LOG.consistency(6)[:-1]),
        (6, 8, (*LOG.consistency(6), ROOTS[1])),
        (6, 8, (*LOG.consistency(6)[:-1], b"")),
        (5, 8, LOG.consistency(6)),
        (6, 9, LOG.consistency(6)),
        (4, 8, LOG.consistency(6)),
        (6, 8, (ROOTS[1],) * 10_000),
        (6, 6, ()),
        (0, 8, ()),
    ],
)
def test_a_consistency_proof_of_something_else_is_refused(
    old: int, new: int, proof: tuple[bytes, ...]
) -> None:
    with pytest.raises(VerificationError, match="does not show that the log"):
        verify_consistency(old, new, proof, ROOTS[6], ROOTS[8])


def test_the_empty_log_has_one_root() -> None:
    verify_consistency(0, 8, (), EMPTY_ROOT, ROOTS[8])
    for proof, new, root in (((ROOTS[1],), 8, ROOTS[8]), ((), 0, ROOTS[8])):
        with pytest.raises(VerificationError):
            verify_consistency(0, new, proof, EMPTY_ROOT, root)


def test_the_same_size_is_consistent_without_a_proof() -> None:
    verify_consistency(8, 8, (), ROOTS[8], ROOTS[8])
    with pytest.raises(VerificationError):
        verify_consistency(8, 8, (ROOTS[1],), ROOTS[8], ROOTS[8])
