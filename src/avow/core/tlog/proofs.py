"""Whether a proof holds: the algorithms of RFC 9162, sections 2.1.3.2 and 2.1.4.2, over RFC 6962 hashes.

Whatever comes in here may be a lie: a number out of range is a proof that does not hold.
"""

from collections.abc import Sequence
from typing import Final

from avow.core.tlog.hashing import EMPTY_ROOT, HASH_LENGTH, node_hash
from avow.core.tlog.tree import MAX_SIZE
from avow.errors import VerificationError

MAX_HASHES: Final = 64
"""More than any proof of a tree of at most 2^63 - 1 leaves has."""


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf with this hash is at this place of the tree with this root.

    Raises:
        VerificationError: the proof does not show it.
    """
    complaint = f"the proof does not show that entry {index} is in the log of {size} entries"
    _require(0 <= index < size <= MAX_SIZE and _are_hashes(leaf, root, *proof[:MAX_HASHES]), complaint)
    here, last, value = index, size - 1, leaf
    for beside in proof:
        _require(last > 0, complaint)
        if here & 1 or here == last:
            value = node_hash(beside, value)
            here, last = _climb(here, last)
        else:
            value = node_hash(value, beside)
        here, last = here >> 1, last >> 1
    _require(last == 0 and value == root, complaint)


def verify_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    """Check that the tree of the new size begins with all of the old one: nothing was changed or removed.

    Raises:
        VerificationError: the proof does not show it.
    """
    complaint = f"the proof does not show that the log of {new} entries begins with the {old} known ones"
    _require(0 <= old <= new <= MAX_SIZE, complaint)
    _require(_are_hashes(old_root, new_root, *proof[:MAX_HASHES]), complaint)
    if old == 0:
        _require(not proof and old_root == EMPTY_ROOT, complaint)
        _require(new > 0 or new_root == EMPTY_ROOT, complaint)
        return
    if old == new:
        _require(not proof and old_root == new_root, complaint)
        return
    # A complete old tree is a node of the new one, and so the first hash of the proof is left out.
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    _require(len(path) > 0, complaint)
    here, last = old - 1, new - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    before = after = path[0]
    for beside in path[1:]:
        _require(last > 0, complaint)
        if here & 1 or here == last:
            before, after = node_hash(beside, before), node_hash(beside, after)
            here, last = _climb(here, last)
        else:
            after = node_hash(after, beside)
        here, last = here >> 1, last >> 1
    _require(last == 0 and before == old_root and after == new_root, complaint)


def _climb(here: int, last: int) -> tuple[int, int]:
    """Go up while there is nothing beside us: the right edge of an incomplete tree."""
    while here and not here & 1:
        here, last = here >> 1, last >> 1
    return here, last


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_LENGTH for value in values)


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise VerificationError(complaint, hint="do not trust this log until its operator explains it")
