"""What several people's decisions about one version in one environment come to."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

T = TypeVar("T")

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

    The newest of each person counts, however their name is spelled. One rejection rejects. As many people
    have to approve as the newest decision says: a number that changes later holds from the next decision on,
    which has it in the log.
    """
    made = list(decisions)
    states = [each.state for each in newest_of_each(made, lambda each: each.by).values()]
    if REJECTED in states:
        return REJECTED
    return APPROVED if made and states.count(APPROVED) >= max(1, made[-1].needed) else PENDING


def newest_of_each(decisions: Iterable[T], by: Callable[[T], str]) -> dict[str, T]:
    """The last decision of each person, by `same_person` of their name; who decides again goes to the end."""
    newest: dict[str, T] = {}
    for each in decisions:
        person = same_person(by(each))
        newest.pop(person, None)
        newest[person] = each
    return newest


def same_person(name: str) -> str:
    """What all spellings of a name have in common: case, blanks and what nobody sees make no other person."""
    seen = (each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) != "Cf")
    return " ".join("".join(seen).casefold().split())
