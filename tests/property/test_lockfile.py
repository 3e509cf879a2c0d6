"""Laws of what is stored: it reads back, it does not depend on order, and no edit goes unseen."""

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from avow.core.canonical import JsonValue, canonical
from avow.core.capability import Signature
from avow.core.documents import read_snapshot_document, snapshot_document
from avow.core.lockfile import Lockfile, dumps, loads
from avow.core.snapshot import Snapshot
from avow.core.volatile import unfit_pointers, volatile_pointers, with_volatile
from avow.errors import LockfileError, MalformedInputError
from snapshot_strategies import lockfiles, snapshots, values

laws = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@laws
@given(lockfiles)
def test_a_lockfile_reads_back_to_the_byte_and_shows_every_character(lockfile: Lockfile) -> None:
    data = dumps(lockfile)

    assert loads(data) == lockfile
    assert dumps(loads(data)) == data
    assert data.endswith(b"}\n")
    assert all(line.isprintable() for line in data.decode().split("\n"))


@laws
@given(snapshots, st.randoms(use_true_random=False))
def test_order_leaves_no_trace(snapshot: Snapshot, random: Random) -> None:
    capabilities = list(snapshot.signature)
    random.shuffle(capabilities)
    shuffled = replace(snapshot, signature=Signature.of(capabilities))

    assert dumps(Lockfile().approve("a", shuffled)) == dumps(Lockfile().approve("a", snapshot))


@laws
@given(snapshots, values)
def test_a_definition_cannot_be_edited_unseen(snapshot: Snapshot, other: JsonValue) -> None:
    """Whatever replaces the first tool's definition: it is the same value, or it is refused."""
    document = snapshot_document(snapshot)
    for entry in document["tools"][:1]:
        before = canonical(entry["definition"])
        entry["definition"] = {**entry["definition"], "description": other}
        with suppress(MalformedInputError):
            read_snapshot_document(document)
            assert canonical(entry["definition"]) == before


@laws
@given(st.binary(max_size=60) | st.integers(0, 400).map(lambda size: dumps(Lockfile())[:-2][:size]))
def test_only_our_own_error_comes_out_of_a_broken_file(data: bytes) -> None:
    with pytest.raises(LockfileError) as caught:
        loads(data)

    assert caught.value.hint


@laws
@given(snapshots, snapshots)
def test_masking_makes_two_looks_agree_where_they_may_differ(first: Snapshot, second: Snapshot) -> None:
    """And what was masked is a document that reads back, in which nothing is left to mask."""
    pointers = volatile_pointers(first, [second])
    masked, twin = with_volatile(first, pointers), with_volatile(second, pointers)

    left = {*pointers} - {*masked.volatile, *twin.volatile}
    assert {*volatile_pointers(masked, [twin])} == left
    assert with_volatile(masked, masked.volatile) == masked
    assert unfit_pointers(masked) == ()
    assert read_snapshot_document(snapshot_document(masked)) == masked


@laws
@given(snapshots)
def test_a_look_does_not_differ_from_itself(snapshot: Snapshot) -> None:
    assert volatile_pointers(snapshot, [snapshot]) == ()
    assert with_volatile(snapshot, ()) == snapshot
