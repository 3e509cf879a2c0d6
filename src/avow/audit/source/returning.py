"""What a function gives back of a claim, and what the statements of a branch come to."""

from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from avow.audit.source.code import (
    Assign,
    Call,
    Evaluate,
    Function,
    Literal,
    Name,
    Raise,
    Return,
    Statement,
    walk_outside_functions,
)
from avow.audit.source.phases import words_in
from avow.audit.source.taint import Taint, taint_of
from avow.audit.source.vocabulary import LOGS

# What reads a claim and gives it back is short.
_LARGEST_HELPER: Final = 200
# How many statements of helpers are read in all: functions that hand a claim to each other have no end.
_MOST_FOLLOWED: Final = 100_000


@dataclass(slots=True)
class Shared:
    """What is known of functions, whoever calls them: whether they allow versions, what they give back.

    `left` is how many statements of helpers may still be read.
    """

    allowing: dict[int, bool] = field(default_factory=dict)
    left: int = _MOST_FOLLOWED
    returned: dict[int, Taint | None] = field(default_factory=dict)


def own(shared: Shared, function: Function) -> Taint | None:
    """What a function gives back of a claim that it reads by itself: `return ctx.client_info.name`."""
    if id(function) not in shared.returned:
        known: dict[str, Taint] = {}
        found: list[Taint] = []
        for node in islice(walk_outside_functions(*function.body), _LARGEST_HELPER):
            match node:
                case Assign(target=Name(name=name), value=value) if taint := taint_of(value, known):
                    known[name] = taint
                case Return(value=value) if value is not None and (taint := taint_of(value, known)):
                    found.append(taint)
                case _:
                    pass
        shared.returned[id(function)] = longest(found)
    return shared.returned[id(function)]


def longest(found: list[Taint]) -> Taint | None:
    """The claim of which most is known."""
    return max(found, key=lambda taint: (len(taint.path), taint.picked), default=None)


def only_tells(body: tuple[Statement, ...]) -> bool:
    """Whether all that happens is written to a log."""
    return bool(body) and all(
        isinstance(inner, Evaluate)
        and isinstance(inner.value, Call)
        and any(LOGS.search(word) for word in words_in(inner.value.function))
        for inner in body
    )


def only_words(body: tuple[Statement, ...]) -> bool:
    """Whether all that differs is a text."""
    return bool(body) and all(
        isinstance(inner, Return | Assign)
        and isinstance(inner.value, Literal)
        and isinstance(inner.value.value, str)
        for inner in body
    )


def gives_back(body: tuple[Statement, ...]) -> bool:
    """Whether a function ends here with a value."""
    return any(isinstance(inner, Return) and inner.value is not None for inner in body)


def only_leaves(body: tuple[Statement, ...]) -> bool:
    """Whether a function ends here."""
    return all(isinstance(inner, Raise | Return) for inner in body)
