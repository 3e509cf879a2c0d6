"""Proofs that one schema accepts nothing that another does not.

A proof that fails says nothing: the caller has to assume that more is accepted.
"""

from collections.abc import Iterator, Set
from fractions import Fraction
from math import ceil, floor
from typing import Final

from avow.core.schema.mentions import ANY_NAME
from avow.core.schema.normalise import Reader
from avow.core.schema.raw import members
from avow.core.schema.shapes import (
    Arrays,
    Branch,
    Node,
    Numbers,
    Objects,
    Shape,
    Strings,
    Values,
    admits,
    is_integer,
)
from avow.core.schema.steps import Path, member

# Beyond these, JSON's integers are not interoperable (RFC 8259, section 6): a bound there bounds nothing.
LARGEST: Final = 2**53 - 1
_UNKNOWABLE: Final = ("$dynamicRef ", "$recursiveRef ", "$ref ", "extends ", "schema ")


class Prover:
    """Compares nodes of one document, `inner`, with nodes of another, `outer`.

    Declared members count: an object that declares a member which the other does not know accepts
    something new, whatever the other says about undeclared ones; one that no longer declares a member
    accepts less.
    """

    def __init__(self, inner: Reader, outer: Reader) -> None:
        """Nothing is proven before somebody asks."""
        self._inner = inner
        self._outer = outer
        self._known: dict[tuple[Node, Node], bool] = {}
        self._assumed: set[tuple[Node, Node]] = set()
        self._open: set[tuple[Node, Node]] = set()
        self._mentions: dict[str, dict[Path, str]] = {}
        # What a condition still declares has not gone, even if nothing else declares it any more.
        self._conditional = frozenset(members(inner.document, conditional=True))

    def proves(self, inner: Node, outer: Node, depth: int = 0) -> bool:
        """Whether everything that `inner` accepts is proven to be accepted by `outer`."""
        pair = (inner, outer)
        if pair in self._open:
            # Instances are finite: what holds on the condition that it holds further inside, holds.
            self._assumed.add(pair)
            return True
        if pair not in self._known:
            self._inner.document.budget.step(depth)
            self._open.add(pair)
            proven = self._is_within(inner, outer, depth)
            self._open.remove(pair)
            if not proven and pair in self._assumed:
                # What was concluded from the assumption falls with it.
                self._known = {known: verdict for known, verdict in self._known.items() if not verdict}
            self._assumed.discard(pair)
            self._known[pair] = proven
        return self._known[pair]

    def proves_at_the_top(self, inner: Node, outer: Node) -> bool:
        """The same for two whole input schemas: arguments are always an object."""
        if self._inner.key(inner) == self._outer.key(outer):
            return True
        ours, theirs = objects_only(self._inner.shape(inner)), objects_only(self._outer.shape(outer))
        return self.contains(ours, theirs, depth=0, is_top=True) and not self._brings(inner, outer, 0)

    def brought(self, inner: Node, outer: Node, depth: int) -> Iterator[tuple[Path, str]]:
        """The members that a condition of `inner` speaks of and nothing in `outer` does, with pointers."""
        ours, theirs = self._inner.shape(inner, depth), self._outer.shape(outer, depth)
        known = {condition for branch in theirs for condition in branch.conditions}
        found: dict[Path, str] = {}
        for condition in sorted({one for branch in ours for one in branch.conditions} - known):
            found.update(self._spoken(condition))
        for branch in ours:
            if isinstance(branch, Objects):
                for place in branch.names:
                    found.update(self._inner.mentions.of(place, are_names=True))
        for path, pointer in found.items():
            if not self._outer.mentions.include(outer, path):
                yield path, pointer

    def _brings(self, inner: Node, outer: Node, depth: int) -> bool:
        return next(self.brought(inner, outer, depth), None) is not None

    def _spoken(self, condition: str) -> dict[Path, str]:
        if condition not in self._mentions:
            source = self._inner.keys.source(condition)
            self._mentions[condition] = {} if source is None else self._inner.mentions.of(*source)
        return self._mentions[condition]

    def contains(self, ours: Shape, theirs: Shape, depth: int, *, is_top: bool = False) -> bool:
        """Whether a shape of the inner document is proven to lie within one of the outer document."""
        known = self._conditional.union(
            name for branch in ours if isinstance(branch, Objects) for name in self.declared(branch, depth)
        )
        return all(self._covers(branch, theirs, known, depth, is_top=is_top) for branch in ours)

    def _covers(
        self, branch: Branch, shape: Shape, known: frozenset[str], depth: int, *, is_top: bool = False
    ) -> bool:
        if isinstance(branch, Values):
            return all(self._holds(shape, branch, identity) for identity in branch.values)
        return any(self._branch(branch, other, known, depth, is_top=is_top) for other in shape)

    def _is_within(self, inner: Node, outer: Node, depth: int) -> bool:
        ours = self._inner.shape(inner, depth)
        if self._outer.accepts_everything(outer, depth):
            is_hiding = any(_hides(branch, Values({})) for branch in ours)
            return not is_hiding and not self._brings(inner, outer, depth)
        if self._inner.key(inner, depth) == self._outer.key(outer, depth):
            return True
        theirs = self._outer.shape(outer, depth)
        return self.contains(ours, theirs, depth) and not self._brings(inner, outer, depth)

    def _holds(self, shape: Shape, values: Values, identity: bytes) -> bool:
        value = values.values[identity]
        return any(
            other.conditions <= values.conditions and admits(other, value, identity) for other in shape
        )

    def _branch(self, one: Branch, other: Branch, known: frozenset[str], depth: int, *, is_top: bool) -> bool:
        self._inner.document.budget.step(depth)
        if not other.conditions <= one.conditions or _hides(one, other):
            return False
        match one, other:
            case Numbers(), Numbers():
                return is_within_limits(one, other)
            case Strings(), Strings():
                return is_between((one.low, one.high), (other.low, other.high))
            case Arrays(), Arrays():
                return self._arrays(one, other, depth + 1)
            case Objects(), Objects():
                return self._objects(one, other, known, depth + 1, is_top=is_top)
            case _:
                return False

    def _arrays(self, one: Arrays, other: Arrays, depth: int) -> bool:
        length = max(len(one.first), len(other.first))
        high = self._longest(one, depth)
        if other.is_unique and not one.is_unique and (high is None or high > 1):
            return False
        if not is_between((one.low, high), (other.low, other.high)):
            return False
        reach = length if high is None else min(length, high)
        items = [(one.item(i), other.item(i)) for i in range(reach)]
        if high is None or high > length:
            items.append((one.rest, other.rest))
        return all(self.proves(item, twin, depth) for item, twin in items)

    def _longest(self, arrays: Arrays, depth: int) -> int | None:
        """How long an array can be, given that an item which nothing can be ends it."""
        for position in range(len(arrays.first) + 1):
            if arrays.high is not None and position >= arrays.high:
                return arrays.high
            if self._inner.accepts_nothing(arrays.item(position), depth):
                return position
        return arrays.high

    def _objects(
        self, one: Objects, other: Objects, known: frozenset[str], depth: int, *, is_top: bool
    ) -> bool:
        """Compare objects; `known` are the members that any alternative of the inner schema declares."""
        ours, theirs = self.declared(one, depth), {*other.properties, *other.required}
        size = (max(one.low, len(one.required)), self._largest(one, depth))
        if not is_between(size, (other.low, other.high)) or not self.names(one.names, other.names, depth):
            return False
        if (
            not is_top
            and not theirs
            and not other.patterns
            and self._outer.accepts_everything(other.additional)
        ):
            return True
        gone = self._gone(one, other, ours | known, depth, is_top=is_top)
        return (
            ours <= theirs
            and other.required - gone <= one.required
            and self._patterns(one, other, depth)
            and self.proves(one.additional, other.additional, depth)
            and all(self._member(name, one, other, depth) for name in sorted(theirs - gone))
        )

    def _gone(
        self, one: Objects, other: Objects, known: Set[str], depth: int, *, is_top: bool
    ) -> frozenset[str]:
        """The members that are declared nowhere any more: accepted less, not more.

        Where nothing at all is declared any more below the top, the object has become a free one instead.
        What a pattern may take or a condition speaks of is still there.
        """
        spoken = {path[0] for condition in one.conditions for path in self._spoken(condition)}
        spoken.update(
            path[0] for place in one.names for path in self._inner.mentions.of(place, are_names=True)
        )
        is_free = not is_top and not self.declared(one, depth)
        if is_free or one.patterns or any(step.startswith(("/", ANY_NAME)) for step in spoken):
            return frozenset()
        forbidden = {n for n, node in other.properties.items() if self._outer.accepts_nothing(node, depth)}
        return frozenset(
            name for name in other.properties.keys() - known - forbidden if member(name) not in spoken
        )

    def declared(self, objects: Objects, depth: int) -> set[str]:
        """The members that an object of the inner document can have by name."""
        names = {n for n, node in objects.properties.items() if not self._inner.accepts_nothing(node, depth)}
        return names | objects.required

    def _member(self, name: str, one: Objects, other: Objects, depth: int) -> bool:
        is_plain = name in one.properties or not one.patterns
        was_plain = name in other.properties or not other.patterns
        if not is_plain or not was_plain:
            # A pattern might take this name; the same patterns take the same names.
            return not is_plain and not was_plain and one.patterns.keys() == other.patterns.keys()
        return self.proves(one.member(name), other.member(name), depth)

    def _patterns(self, one: Objects, other: Objects, depth: int) -> bool:
        """Whether each pattern of names asks for as much as before. A new pattern declares members."""
        if not one.patterns.keys() <= other.patterns.keys():
            return False
        for pattern, outer in other.patterns.items():
            if pattern in one.patterns:
                inner = [one.patterns[pattern]]
            else:
                inner = [one.additional, *one.properties.values(), *one.patterns.values()]
            if not all(self.proves(node, outer, depth) for node in inner):
                return False
        return True

    def names(self, one: Node, other: Node, depth: int) -> bool:
        """Whether names are limited as much; names are strings, so other types do not matter."""
        theirs = [
            branch for branch in self._outer.shape(other, depth) if isinstance(branch, Strings | Values)
        ]
        ours = [branch for branch in self._inner.shape(one, depth) if isinstance(branch, Strings | Values)]
        return self.contains(tuple(_texts(branch) for branch in ours), tuple(theirs), depth)

    def _largest(self, objects: Objects, depth: int) -> int | None:
        is_closed = not objects.patterns and self._inner.accepts_nothing(objects.additional, depth)
        limits = [len(objects.properties)] if is_closed else []
        return min([*limits, *([] if objects.high is None else [objects.high])], default=None)


def _hides(one: Branch, other: Branch) -> bool:
    """Whether something was added that we cannot look into: it might declare anything."""
    return any(condition.startswith(_UNKNOWABLE) for condition in one.conditions - other.conditions)


def objects_only(shape: Shape) -> Shape:
    """What is left of a shape where only objects can come."""
    found: list[Branch] = [branch for branch in shape if isinstance(branch, Objects)]
    for branch in shape:
        if isinstance(branch, Values):
            values = {i: value for i, value in branch.values.items() if isinstance(value, dict)}
            found.extend([Values(values, branch.conditions)] if values else [])
    return tuple(found)


def _texts(branch: Branch) -> Branch:
    if isinstance(branch, Values):
        return Values({i: v for i, v in branch.values.items() if isinstance(v, str)}, branch.conditions)
    return branch


def is_between(one: tuple[int, int | None], other: tuple[int, int | None]) -> bool:
    """Whether one range of counts lies within another."""
    return one[0] >= other[0] and (other[1] is None or (one[1] is not None and one[1] <= other[1]))


def is_within_limits(one: Numbers, other: Numbers) -> bool:
    """Whether the numbers of one branch are all among the other's, conditions aside."""
    ours, theirs = limits(one), limits(other)
    for multiple in other.multiples:
        if not any((ours_too / multiple).denominator == 1 for ours_too in one.multiples):
            return False
    return ours[0] >= theirs[0] and ours[1] <= theirs[1]


def limits(numbers: Numbers) -> tuple[tuple[float | Fraction, bool], tuple[float | Fraction, bool]]:
    """The lowest and the highest number, each with whether it is left out, so that they compare in order."""
    low, high = numbers.low, numbers.high
    is_low_open, is_high_open = numbers.is_low_open, numbers.is_high_open
    if is_integer(numbers):
        low = None if low is None else Fraction(floor(low) + 1 if is_low_open else ceil(low))
        high = None if high is None else Fraction(ceil(high) - 1 if is_high_open else floor(high))
        is_low_open = is_high_open = False
        low = None if low == -LARGEST else low
        high = None if high == LARGEST else high
    return (
        (float("-inf") if low is None else low, is_low_open),
        (float("inf") if high is None else high, not is_high_open),
    )
