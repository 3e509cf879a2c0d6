"""What several people's decisions about one version in one environment come to."""

from collections.abc import Iterable
from typing import Final

APPROVED: Final = "approved"
PENDING: Final = "pending"
REJECTED: Final = "rejected"


def standing(decisions: Iterable[tuple[str, str]], needed: int) -> str:
    """The state that pairs of a person and a state add up to, oldest first.

    The newest of each person counts. One rejection rejects; as many people as needed approve.
    """
    newest = dict(decisions)
    states = list(newest.values())
    if REJECTED in states:
        return REJECTED
    return APPROVED if states.count(APPROVED) >= max(1, needed) else PENDING
