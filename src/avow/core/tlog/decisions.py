"""What several people's decisions about one version in one environment come to."""

from collections.abc import Iterable
from typing import Final, NamedTuple

APPROVED: Final = "approved"
PENDING: Final = "pending"
REJECTED: Final = "rejected"


class Decision(NamedTuple):
    """What a person said, and how many people had to agree at that time."""

    by: str
    state: str
    needed: int


def standing(decisions: Iterable[Decision]) -> str:
    """What decisions come to, oldest first.

    The newest of each person counts. One rejection rejects. As many people have to approve as the newest
    decision says: a number that changes later holds from the next decision on, which has it in the log.
    """
    made = list(decisions)
    states = list({each.by: each.state for each in made}.values())
    if REJECTED in states:
        return REJECTED
    return APPROVED if made and states.count(APPROVED) >= max(1, made[-1].needed) else PENDING
