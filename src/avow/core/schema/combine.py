"""What two branches accept together, and whether they can accept the same value at all."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from avow.core.schema.shapes import (
    ANYTHING,
    Arrays,
    Branch,
    Node,
    Numbers,
    Objects,
    Shape,
    Strings,
    Values,
    admits,
)

BRANCHES: Final = 128

AreDisjoint: TypeAlias = Callable[[Node, Node], bool]


class InexactError(Exception):
    """What both accept cannot be written as one branch."""


def both(one: Branch, other: Branch) -> Branch | None:
    """What both branches accept; None when that is nothing.

    Raises:
        InexactError: there is such a set of values, but no branch says it.
    """
    match one, other:
        case Values(), _:
            return _filtered(one, other)
        case _, Values():
            return _filtered(other, one)
        case Numbers(), Numbers():
            return _numbers(one, other)
        case Strings(), Strings():
            low, high = max(one.low, other.low), _least(one.high, other.high)
            return None if high is not None and low > high else Strings(low, high, _conditions(one, other))
        case Arrays(), Arrays():
            return _arrays(one, other)
        case Objects(), Objects():
            return _objects(one, other)
        case _:
            return None


def simplified(branches: Iterable[Branch]) -> Shape:
    """The same union with the plain values that share their conditions in one branch."""
    rest: list[Branch] = []
    values: dict[frozenset[str], Values] = {}
    for branch in branches:
        if isinstance(branch, Values):
            known = values.get(branch.conditions, Values({}))
            values[branch.conditions] = replace(branch, values={**known.values, **branch.values})
        elif len(rest) > BRANCHES or branch not in rest:
            rest.append(branch)
    return (*(branch for branch in values.values() if branch.values), *rest)


def are_disjoint(one: Branch, other: Branch, nodes: AreDisjoint) -> bool:
    """Whether it is proven that no value meets the limits of both."""
    match one, other:
        case Values(), _:
            return all(admits(other, value, identity) is False for identity, value in one.values.items())
        case _, Values():
            return are_disjoint(other, one, nodes)
        case (Numbers(), Numbers()) | (Strings(), Strings()) | (Arrays(), Arrays()):
            return both(one, other) is None
        case Objects(), Objects():
            names = one.required & other.required & one.properties.keys() & other.properties.keys()
            return any(nodes(one.properties[name], other.properties[name]) for name in sorted(names))
        case _:
            return True


def _filtered(values: Values, other: Branch) -> Values | None:
    kept = {}
    for identity, value in values.values.items():
        verdict = admits(other, value, identity)
        if verdict is None:
            raise InexactError
        if verdict:
            kept[identity] = value
    return Values(kept, _conditions(values, other)) if kept else None


def _numbers(one: Numbers, other: Numbers) -> Numbers | None:
    low, is_low_open = one.low, one.is_low_open
    if other.low is not None and (low is None or other.low > low or (other.low == low and other.is_low_open)):
        low, is_low_open = other.low, other.is_low_open
    high, is_high_open = one.high, one.is_high_open
    if other.high is not None and (
        high is None or other.high < high or (other.high == high and other.is_high_open)
    ):
        high, is_high_open = other.high, other.is_high_open
    if (
        low is not None
        and high is not None
        and (low > high or (low == high and (is_low_open or is_high_open)))
    ):
        return None
    multiples = one.multiples | other.multiples
    return Numbers(low, high, is_low_open, is_high_open, multiples, _conditions(one, other))


def _arrays(one: Arrays, other: Arrays) -> Arrays | None:
    low, high = max(one.low, other.low), _least(one.high, other.high)
    if high is not None and low > high:
        return None
    length = max(len(one.first), len(other.first))
    first = tuple(_all(one.item(position), other.item(position)) for position in range(length))
    rest = _all(one.rest, other.rest)
    return Arrays(first, rest, low, high, one.is_unique or other.is_unique, _conditions(one, other))


def _objects(one: Objects, other: Objects) -> Objects | None:
    if (one.patterns or other.patterns) and (one.additional or other.additional):
        # Which names a pattern takes away from `additional` is not known without running the pattern.
        raise InexactError
    names = {**one.properties, **other.properties}
    patterns = {**one.patterns, **other.patterns}
    low, high = max(one.low, other.low), _least(one.high, other.high)
    if high is not None and low > high:
        return None
    return Objects(
        {name: _all(one.member(name), other.member(name)) for name in names},
        one.required | other.required,
        {p: _all(one.patterns.get(p, ANYTHING), other.patterns.get(p, ANYTHING)) for p in patterns},
        _all(one.additional, other.additional),
        _all(one.names, other.names),
        low,
        high,
        _conditions(one, other),
    )


def _all(one: Node, other: Node) -> Node:
    return tuple(dict.fromkeys((*one, *other)))


def _least(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


def _conditions(one: Branch, other: Branch) -> frozenset[str]:
    return one.conditions | other.conditions
