"""Whether the entries of a stored log are those that its key has signed, at every size that was signed."""

from collections.abc import Sequence
from typing import Final

from avow.core.tlog import notes
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import VerifierKey
from avow.core.tlog.tree import Node, new_nodes, nodes_of_root, root
from avow.errors import StorageError
from avow.registry.store import dumping
from avow.registry.store.base import SqlStore

BATCH: Final = 256


async def check_log(store: SqlStore, key: VerifierKey, witnesses: Sequence[VerifierKey] = ()) -> int:
    """Compute the tree again from all entries, and see that the log's key has signed each of its checkpoints.

    Memory is bounded: nothing is kept of the entries but the edge of the tree. The answer is the size.

    Raises:
        AvowError: it has not.
    """
    newest = await store.checkpoint()
    if newest is None:
        if (await store.dump(dumping.extent, "log_entries"))[0] or await store.dump(
            dumping.count_checkpoints
        ):
            raise StorageError("the log has no checkpoint")
        # Nothing has happened yet: then there is nothing that could be recorded, either.
        return 0
    size = open_checkpoint(newest.note, key).checkpoint.size
    edge: dict[Node, bytes] = {}
    seen = 0
    witnessed: dict[str, int] = {}
    for first in range(0, size, BATCH):
        last = min(first + BATCH, size)
        found = await store.entries(first, last)
        if len(found) != last - first:
            raise StorageError(f"entries of the log are missing from {first} on")
        # All hashes of this batch, and those of the edge before it: every root in between can be computed.
        edge.update(new_nodes(first, [leaf_hash(entry) for entry in found], edge.__getitem__))
        checkpoints = await store.dump(dumping.checkpoints, first + 1, last)
        for stored in checkpoints:
            authors = _check(stored, root(stored[0], edge.__getitem__), key, witnesses)
            witnessed |= dict.fromkeys(authors - {key.author}, stored[0])
        seen += len(checkpoints)
        edge = {node: edge[node] for node in nodes_of_root(last)}
    if await store.entries(size, size + 1) or (await store.dump(dumping.extent, "log_entries"))[0] != size:
        raise StorageError("the log has entries that nobody signed")
    if newest.size != size or seen != await store.dump(dumping.count_checkpoints):
        raise StorageError("the log has checkpoints of sizes that it never had")
    if await store.dump(dumping.witnesses) != sorted(witnessed.items()):
        raise StorageError("who cosigned what is not what the checkpoints say")
    return size


def _check(
    stored: tuple[int, bytes, bytes], computed: bytes, key: VerifierKey, witnesses: Sequence[VerifierKey]
) -> set[str]:
    """Who has signed one checkpoint, all of them known."""
    size, kept, note = stored
    signed = open_checkpoint(note, key, witnesses).checkpoint
    if (signed.size, signed.root, kept) != (size, computed, computed):
        raise StorageError(f"the checkpoint of size {size} does not sign the entries that are there")
    authors = {each.author for each in notes.loads(note).signatures}
    if strangers := authors - {each.author for each in (key, *witnesses)}:
        raise StorageError(
            f"the checkpoint of size {size} is signed by {min(strangers)}, whose key is not known",
            hint="name the keys of all witnesses",
        )
    return authors
