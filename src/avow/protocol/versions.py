"""The revisions of the protocol that exist, their order, and the era each belongs to.

Versions are an enumerated set, not text to compare: an unknown one is older than everything, so that
nothing is granted to it by accident.
"""

from typing import Final

from avow.core.snapshot import Era

KNOWN: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""Every released revision, oldest first."""

MODERN: Final = ("2026-07-28",)
"""The revisions without a handshake: each request carries its own version and client capabilities."""

BATCHING: Final = "2025-03-26"
"""The only revision in which several messages may share one JSON array."""

_RANKS: Final = {version: rank for rank, version in enumerate(KNOWN)}


def rank(version: str) -> int:
    """The place of a version in the order; -1 for one that nobody has released."""
    return _RANKS.get(version, -1)


def is_older(version: str, than: str) -> bool:
    """Whether a version came before another; an unknown one came before all."""
    return rank(version) < rank(than)


def era_of(version: str) -> Era | None:
    """The era of a version; `None` when nobody has released it."""
    if version in MODERN:
        return Era.MODERN
    return Era.LEGACY if version in _RANKS else None
