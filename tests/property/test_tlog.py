"""Laws of the log: every proof of every tree holds, and no bit of it changes unnoticed."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.tlog import entry, notes, tiles, tree
from avow.core.tlog.auditing import verify_log, verify_tiles
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.hashing import EMPTY_ROOT, leaf_hash, node_hash
from avow.core.tlog.proofs import verify_consistency, verify_inclusion
from avow.errors import AvowError, MalformedInputError, VerificationError
from small_log import SIGNER, SmallLog, served_at

KEY = SIGNER.verifier()


def plain_root(leaves: list[bytes]) -> bytes:
    """The definition in RFC 6962, word by word."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    middle = 1
    while middle * 2 < len(leaves):
        middle *= 2
    return node_hash(plain_root(leaves[:middle]), plain_root(leaves[middle:]))


@given(st.lists(st.lists(st.binary(max_size=4), max_size=9), max_size=6))
@settings(max_examples=50)
def test_a_tree_is_the_same_however_it_grew_and_all_its_proofs_hold(batches: list[list[bytes]]) -> None:
    log = SmallLog()
    for batch in batches:
        log.append(*batch)
    roots = [plain_root(log.entries[:size]) for size in range(log.size + 1)]

    assert log.root() == roots[-1]
    assert log.nodes == SmallLog.of(log.entries).nodes
    for size, root in enumerate(roots):
        assert log.root(size) == root
        verify_consistency(size, log.size, log.consistency(size), root, roots[-1])
    for index, leaf in enumerate(log.entries):
        verify_inclusion(leaf_hash(leaf), index, log.size, log.inclusion(index), roots[-1])


@given(st.integers(1, 2**63 - 1), st.data())
@settings(max_examples=50)
def test_a_proof_about_any_tree_is_short(size: int, data: st.DataObject) -> None:
    """Also about one that nobody can have; and what is read for it grows with the logarithm, squared."""
    index = data.draw(st.integers(0, size - 1))
    read = lambda node: leaf_hash(b"%d %d" % node)  # noqa: E731

    assert len(tree.inclusion_proof(index, size, read)) <= 63
    assert len(tree.consistency_proof(index + 1, size, read)) <= 64
    assert len(tree.nodes_of_inclusion(index, size)) <= 2 * 63
    assert len(tree.nodes_of_consistency(index + 1, size)) <= 2 * 63


@given(st.integers(1, 40), st.integers(1, 40), st.data())
@settings(max_examples=50)
def test_a_log_that_forgot_or_changed_something_has_no_proof(
    old: int, more: int, data: st.DataObject
) -> None:
    """Whoever knows the old root refuses every proof that the rewritten log can make."""
    honest = SmallLog.of(old)
    rewritten = SmallLog.of(old + more)
    changed = data.draw(st.integers(0, old - 1))
    entries = [*rewritten.entries[:changed], b"forged", *rewritten.entries[changed + 1 :]]
    forged = SmallLog.of(entries)

    for proof in (forged.consistency(old), rewritten.consistency(old)):
        with pytest.raises(VerificationError):
            verify_consistency(old, forged.size, proof, honest.root(), forged.root())


@dataclass(frozen=True)
class Subject:
    """Something that was stored or sent, and the check that a reader makes of it."""

    kind: str
    parts: tuple[bytes, ...]
    check: Callable[[tuple[bytes, ...]], None]


def subjects(size: int) -> Iterator[Subject]:
    """Everything there is of a log of this size."""
    log = SmallLog.of(size)
    root = log.root()

    def proof(parts: tuple[bytes, ...]) -> None:
        place, leaf, root, *hashes = parts
        verify_inclusion(leaf_hash(leaf), int.from_bytes(place), size, hashes, root)

    for index, leaf in enumerate(log.entries):
        yield Subject("inclusion", (index.to_bytes(8), leaf, root, *log.inclusion(index)), proof)

    for old in range(1, size):

        def growth(parts: tuple[bytes, ...], old: int = old) -> None:
            before, after, *hashes = parts
            verify_consistency(old, size, hashes, before, after)

        yield Subject("consistency", (log.root(old), root, *log.consistency(old)), growth)

    def rows(parts: tuple[bytes, ...]) -> None:
        nodes = dict(zip(log.nodes, parts[size:], strict=True))
        verify_log(size, root, parts[:size], nodes.__getitem__)

    yield Subject("database", (*log.entries, *log.nodes.values()), rows)

    served = served_at(size)

    def files(parts: tuple[bytes, ...]) -> None:
        verify_tiles(size, root, dict(zip(served, parts, strict=True)).__getitem__)

    yield Subject("tiles", tuple(log.serve(each) for each in served), files)
    yield Subject("checkpoint", (log.checkpoint(),), lambda parts: void(open_checkpoint(parts[0], KEY)))


def void(_: object) -> None:
    """Opened: nothing was noticed."""


def test_a_hundred_thousand_flipped_bits_are_all_noticed() -> None:
    """In the entries, the hashes in the database, tiles, bundles, proofs, roots and checkpoints."""
    chance = random.Random(6962)
    everything = [subject for size in (1, 2, 3, 5, 7, 8) for subject in subjects(size)]
    for subject in everything:
        subject.check(subject.parts)
    # Signatures take longest to check: every bit of one checkpoint is flipped below, and here only some.
    weights = [{"checkpoint": 1, "database": 20, "tiles": 20}.get(each.kind, 10) for each in everything]

    noticed: Counter[str] = Counter()
    for subject in chance.choices(everything, weights, k=100_000):
        place = chance.randrange(len(subject.parts))
        parts = list(subject.parts)
        parts[place] = flipped(parts[place], chance.randrange(8 * len(parts[place])))
        try:
            subject.check(tuple(parts))
        except AvowError:
            noticed[subject.kind] += 1
        else:
            pytest.fail(f"part {place} of {subject.kind} was changed, and nobody noticed")

    assert noticed.total() == 100_000
    assert min(noticed.values()) > 500


def test_every_bit_of_a_checkpoint_counts() -> None:
    data = SmallLog.of(5).checkpoint()
    for bit in range(8 * len(data)):
        with pytest.raises(AvowError):
            open_checkpoint(flipped(data, bit), KEY)


def flipped(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


signature_lines = st.lists(
    st.binary(min_size=5, max_size=80).map(lambda data: notes.NoteSignature("a/b", data[:4], data[4:])),
    min_size=1,
    max_size=4,
)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30), signature_lines)
@settings(max_examples=50)
def test_a_note_reads_back(text: str, signatures: list[notes.NoteSignature]) -> None:
    data = notes.dumps(text + "\n", signatures)

    assert notes.loads(data) == notes.Note(text + "\n", tuple(signatures))


@given(st.binary(max_size=60) | st.text("\n \u2014+=aA1", max_size=60).map(str.encode))
@settings(max_examples=100)
def test_only_our_errors_come_out_of_what_a_log_sends(data: bytes) -> None:
    """And what can be read has one spelling."""
    with suppress(MalformedInputError):
        found = notes.loads(b"text\n\n" + data)
        assert notes.dumps(found.text, found.signatures) == b"text\n\n" + data
    with suppress(MalformedInputError):
        assert tiles.dump_bundle(tiles.read_bundle(data, tiles.Bundle(0, 3))) == data
    with suppress(MalformedInputError):
        assert entry.dumps(entry.loads(data)) == data
    with suppress(MalformedInputError):
        notes.read_verifier_key(data.decode(errors="replace"))


@given(st.integers(0, 63), st.integers(0, 2**55 - 1), st.integers(1, 256))
@settings(max_examples=50)
def test_a_path_reads_back(level: int, number: int, width: int) -> None:
    for served in (tiles.Tile(level, number, width), tiles.Bundle(number, width)):
        assert tiles.read_path(served.path) == served


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=20))
@settings(max_examples=50)
def test_a_bundle_reads_back(entries: list[bytes]) -> None:
    assert tiles.read_bundle(tiles.dump_bundle(entries), tiles.Bundle(0, len(entries))) == tuple(entries)
