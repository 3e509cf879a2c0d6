"""The whole log, checked: nothing changes without being noticed."""

import pytest

from avow.core.tlog.auditing import new_entries, verify_log, verify_tiles
from avow.core.tlog.checkpoint import Checkpoint
from avow.core.tlog.tiles import Bundle, Served, Tile, dump_bundle
from avow.core.tlog.tree import Node
from avow.errors import MalformedInputError, VerificationError
from small_log import SmallLog

LOG = SmallLog.of(600)
SMALL = SmallLog.of(5)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 600])
def test_what_an_honest_log_serves_is_what_it_signed(size: int) -> None:
    """And everything is asked for once: a reader of a large log does not read it twice."""
    asked = []

    def serve(served: Served) -> bytes:
        asked.append(served)
        return LOG.serve(served)

    verify_tiles(size, LOG.root(size), serve)

    assert len(asked) == len(set(asked))


def test_every_stored_hash_is_compared() -> None:
    verify_log(SMALL.size, SMALL.root(), SMALL.entries, SMALL.nodes.__getitem__)
    for node in SMALL.nodes:
        forged = {**SMALL.nodes, node: bytes(32)}
        with pytest.raises(VerificationError, match="is not the one of its entries"):
            verify_log(SMALL.size, SMALL.root(), SMALL.entries, forged.__getitem__)


@pytest.mark.parametrize("entries", [SMALL.entries[:-1], [*SMALL.entries, b"more"], SMALL.entries[::-1]])
def test_entries_that_are_missing_added_or_moved(entries: list[bytes]) -> None:
    with pytest.raises(VerificationError):
        verify_log(SMALL.size, SMALL.root(), entries, SmallLog.of(entries).nodes.__getitem__)


def test_a_log_that_was_rewritten_as_a_whole_has_another_root() -> None:
    other = SmallLog.of([b"other", *LOG.entries[1:]])

    with pytest.raises(VerificationError, match="the 600 entries are not those of the checkpoint of 600"):
        verify_tiles(600, LOG.root(), other.serve)


def test_a_tile_above_is_compared_too() -> None:
    def serve(served: Served) -> bytes:
        return bytes(64) if served == Tile(1, 0, 2) else LOG.serve(served)

    with pytest.raises(VerificationError):
        verify_tiles(600, LOG.root(), serve)


def test_a_bundle_with_one_entry_too_many() -> None:
    def serve(served: Served) -> bytes:
        return dump_bundle([b"x"] * 89) if served == Bundle(2, 88) else LOG.serve(served)

    with pytest.raises(MalformedInputError):
        verify_tiles(600, LOG.root(), serve)


SIZES = [0, 1, 3, 255, 256, 257, 511, 512, 599, 600]


def at(log: SmallLog, size: int) -> Checkpoint:
    return Checkpoint(log.signer.name, size, log.root(size))


@pytest.mark.parametrize("old", SIZES)
@pytest.mark.parametrize("new", SIZES)
def test_all_that_is_new_is_read_once_and_nothing_else(old: int, new: int) -> None:
    if old > new:
        with pytest.raises(VerificationError, match=f"the log of {new} entries is not that of {old} with"):
            new_entries(at(LOG, old), at(LOG, new), LOG.serve, lambda entry: True)
        return
    asked: list[Served] = []

    def serve(served: Served) -> bytes:
        asked.append(served)
        return LOG.serve(served)

    found = new_entries(at(LOG, old), at(LOG, new), serve, lambda entry: entry.endswith(b"7"))

    assert found == {index: b"entry %d" % index for index in range(old, new) if index % 10 == 7}
    assert len(asked) == len(set(asked))
    assert all(each.number >= old // 256 for each in asked if isinstance(each, Bundle))


def forged(changed: int) -> SmallLog:
    return SmallLog.of([*LOG.entries[:changed], b"forged", *LOG.entries[changed + 1 :]])


@pytest.mark.parametrize("changed", [300, 511, 512, 599])
def test_a_new_entry_that_was_changed_does_not_lead_to_the_root(changed: int) -> None:
    other = forged(changed)

    with pytest.raises(VerificationError, match="the log of 600 entries is not that of 300 with"):
        new_entries(at(LOG, 300), at(LOG, 600), other.serve, lambda entry: True)


@pytest.mark.parametrize("changed", [0, 255, 256, 299])
def test_a_log_that_was_changed_before_does_not_continue_the_old_one(changed: int) -> None:
    """Neither with its own hashes, nor with those of the old log."""
    other = forged(changed)

    def mixed(served: Served) -> bytes:
        return (LOG if isinstance(served, Tile) else other).serve(served)

    for fetch in (other.serve, mixed):
        with pytest.raises(VerificationError, match="the log of 600 entries is not that of 300 with"):
            new_entries(at(LOG, 300), at(other, 600), fetch, lambda entry: True)


def test_nodes_are_named_by_level_and_number() -> None:
    assert SMALL.nodes[Node(2, 0)] == SMALL.root(4)
