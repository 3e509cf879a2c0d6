"""Reading what is new in a registry's log: in parts, for so long, and on from there the next time."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from avow.core.tlog.auditing import new_entries
from avow.core.tlog.checkpoint import Checkpoint, VerifiedCheckpoint
from avow.core.tlog.hashing import HASH_LENGTH
from avow.core.tlog.proofs import verify_consistency
from avow.core.tlog.tiles import WIDTH, Served, Tile, hash_in, read_tile, tile_with
from avow.core.tlog.tree import Node, root
from avow.errors import VerificationError
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import refusal
from avow.system.registry_client.known_log import KnownLog, is_wanted, recall_log, remember_log
from avow.system.registry_client.remembered import Memory

PART: Final = 8 * WIDTH
"""How many entries are read at once: eight requests, and a few for their proof."""

SECONDS: Final = 20.0
"""How long a log is read for at most before the question is answered from what is known by then."""


class _TimeIsUpError(Exception):
    """What was not read by now is read the next time."""


def read_on(client: RegistryClient, memory: Memory, checkpoint: VerifiedCheckpoint) -> KnownLog:
    """What is remembered of a log, and what is new since, as far as there is time; it is remembered, too.

    Raises:
        ForkError: the log is not what it was with what is new in it.
        MalformedInputError: an answer makes no sense.
        UnavailableError: the registry does not answer, or nothing can be remembered.
    """
    known = recall_log(memory) or KnownLog(checkpoint)
    if known.checkpoint.checkpoint.size > checkpoint.checkpoint.size:
        # Another process has seen more than we asked for.
        return known
    try:
        for grown in _parts(client, known, checkpoint, time.monotonic() + SECONDS):
            known = grown
    except VerificationError as exc:
        what = f"its log does not go on from the {known.size} known entries as its checkpoint says"
        remembered = known.checkpoint.note.decode()
        raise refusal(client, memory, checkpoint, what, {"remembered": remembered}) from exc
    finally:
        # Also what was read before something went wrong.
        remember_log(memory, known)
    return known


def _parts(
    client: RegistryClient, known: KnownLog, checkpoint: VerifiedCheckpoint, until: float
) -> Iterator[KnownLog]:
    """What is known after each part; at the end it leads to the checkpoint, read or not."""
    size = checkpoint.checkpoint.size
    fetch = _fetcher(client, size, until)
    try:
        while known.size < size:
            known = _part(client, known, checkpoint, fetch)
            yield known
    except _TimeIsUpError:
        yield _leading_to(client, known, checkpoint)


def _part(
    client: RegistryClient, known: KnownLog, checkpoint: VerifiedCheckpoint, fetch: Callable[[Served], bytes]
) -> KnownLog:
    new = checkpoint.checkpoint
    upto = new
    proof: tuple[bytes, ...] = ()
    if new.size - known.size > PART:
        size = (known.size // PART + 1) * PART
        upto = Checkpoint(new.origin, size, root(size, lambda node: _hash(node, new.size, fetch)))
        proof = client.consistency(size, new.size)
        verify_consistency(size, new.size, proof, upto.root, new.root)
    found = new_entries(known.read, upto, fetch, is_wanted)
    return replace(known, checkpoint=checkpoint).read_on(upto, found, proof)


def _leading_to(client: RegistryClient, known: KnownLog, checkpoint: VerifiedCheckpoint) -> KnownLog:
    new = checkpoint.checkpoint
    if known.checkpoint == checkpoint:
        return known
    proof = client.consistency(known.size, new.size) if known.size else ()
    verify_consistency(known.size, new.size, proof, known.root, new.root)
    return replace(known, checkpoint=checkpoint, proof=proof)


def _hash(node: Node, size: int, fetch: Callable[[Served], bytes]) -> bytes:
    tile = tile_with(node, size)
    return hash_in(read_tile(fetch(tile), tile), tile, node)


def _fetcher(client: RegistryClient, size: int, until: float) -> Callable[[Served], bytes]:
    """Fetches until the time is up; a narrow tile is cut from the one that a log of this size has."""
    tiles: dict[Tile, bytes] = {}

    def fetch(served: Served) -> bytes:
        if time.monotonic() >= until:
            raise _TimeIsUpError
        if not isinstance(served, Tile):
            return client.served(served)
        wide = tile_with(served.nodes[0], size)
        if wide not in tiles:
            tiles[wide] = client.served(wide)
        return tiles[wide][: served.width * HASH_LENGTH]

    return fetch
