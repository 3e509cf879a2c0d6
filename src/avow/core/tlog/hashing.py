"""The hashes of a Merkle tree, as RFC 6962 (section 2.1) defines them over SHA-256.

A leaf and a node are hashed with different first bytes, so that nobody can pass a node for a leaf.
"""

from hashlib import sha256
from typing import Final

HASH_LENGTH: Final = 32

EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of one entry."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of what two hashes side by side stand for."""
    return sha256(b"\x01" + left + right).digest()
