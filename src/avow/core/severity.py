"""How much a difference matters, from `info` to `critical`."""

from enum import StrEnum
from typing import Final


class Severity(StrEnum):
    """Ordered: comparisons follow the ranks, not the alphabet."""

    INFO = "info"
    SAFE = "safe"
    MODERATE = "moderate"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """Position in the order, lowest first."""
        return _RANKS[self]

    def __lt__(self, other: str) -> bool:
        """Less severe than."""
        return self.rank < Severity(other).rank

    def __le__(self, other: str) -> bool:
        """At most as severe as."""
        return self.rank <= Severity(other).rank

    def __gt__(self, other: str) -> bool:
        """More severe than."""
        return self.rank > Severity(other).rank

    def __ge__(self, other: str) -> bool:
        """At least as severe as."""
        return self.rank >= Severity(other).rank


_RANKS: Final = {severity: rank for rank, severity in enumerate(Severity)}
