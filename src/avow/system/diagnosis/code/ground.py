"""What following a program needs everywhere: what is assumed as given, what ends it, and how far to go.

Nothing is given at first. Where the program would end for want of something, that is written down and from
then on assumed as given, so that the next requirement shows.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from avow.system.diagnosis.code.ledger import CERTAIN, GUESSED, Ledger, Ways
from avow.system.diagnosis.code.values import (
    GIVEN,
    Configured,
    External,
    Known,
    Record,
    Scope,
    Sequenced,
    Truth,
    Unknown,
    Value,
    Word,
    depends_of,
)

MOST_STEPS: Final = 1_500_000
MOST_DEPTH: Final = 24
MOST_TRIES: Final = 40
_MAIN_FUNCTIONS: Final = 2
_MOST_CASES: Final = 40
MOST_ITEMS: Final = 1_000
MAIN: Final = "<main>"
IMPORTED: Final = "<imported>"
"""What depends on whether a module is the one that was started depends on these."""
ABSENT: Final = External("<absent>")
"""Stands in a list for an item that is not there."""


class OutOfReachError(Exception):
    """The work has grown beyond its limits; what is known so far counts."""


class Stopped(Exception):  # noqa: N818 - it is the followed program's end, not an error of ours
    """The program ends here, or an error travels up; `ways` is what would have prevented it."""

    def __init__(self, kind: str, name: str = "", value: Value | None = None, ways: Ways = ()) -> None:
        """Say how it ends: `exit`, or `throw` with the error's name and value."""
        super().__init__(kind, name)
        self.kind, self.name, self.value, self.ways = kind, name, value, ways
        self.place = ""
        self.reason = ""
        self.path: Ways = ()


class Returned(Exception):  # noqa: N818
    """A function ends with a value."""

    def __init__(self, value: Value) -> None:
        """Carry the value."""
        super().__init__()
        self.value = value


class Left(Exception):  # noqa: N818
    """A loop or a case is left, or with `again` gone on with."""

    def __init__(self, *, again: bool) -> None:
        """Say which."""
        super().__init__()
        self.again = again


@dataclass(slots=True)
class Write:
    """A change of a variable or a field, or a list's length before it grew."""

    target: dict[str, Value] | Sequenced
    key: str
    before: Value | None
    length: int = 0


Journal = dict[tuple[int, str], Write]
"""What things were before they were changed, by the thing and the key in it."""


@dataclass(slots=True)
class Frame:
    """A function that is being followed."""

    name: str
    is_function: bool = False
    path: list[Ways] = field(default_factory=list)
    passed: list[Ways] = field(default_factory=list)
    maybe: list[Value] = field(default_factory=list)


class Ground:
    """The state of a program that is being followed."""

    def __init__(self, ledger: Ledger, is_late: Callable[[], bool]) -> None:
        """Start with nothing given; `is_late` says when to give up."""
        self.ledger = ledger
        self.given: set[str] = set()
        self.serves = False
        self.early: list[tuple[Ways, str]] = []
        self.frames: list[Frame] = [Frame("")]
        self._is_late = is_late
        self._steps = 0
        self._catching = 0
        self.doubts = 0
        self._journals: list[Journal] = []

    def step(self) -> None:
        """One more thing happens."""
        self._steps += 1
        if self._steps > MOST_STEPS or (self._steps % 512 == 0 and self._is_late()):
            raise OutOfReachError

    def allow(self, steps: int) -> None:
        """Let this many more things happen from here on."""
        self._steps = max(0, MOST_STEPS - steps)

    def place(self, scope: Scope, line: int) -> str:
        """Where something stands, for a person."""
        return f"{scope.module.name}:{line}"

    def is_given(self, ways: Ways) -> bool:
        """Whether one of the ways is given."""
        return any(way <= self.given for way in ways)

    def settle(self, value: Value) -> Value:
        """A value as it is with what is given now."""
        while isinstance(value, Configured):
            value = value.present if self.is_given(value.ways) else value.missing
        return self.word(value) if isinstance(value, Word) else value

    def word(self, value: Word) -> Value:
        """What a user gave."""
        chosen = self.ledger.chosen(value.key)
        return GIVEN if chosen is None else Known(chosen)

    def truth(self, value: Value) -> Truth:
        """Whether a value is true, with what is given now, and why."""
        if isinstance(value, Configured):
            if self.is_given(value.ways):
                return self.truth(value.present)
            inner = self.truth(value.missing)
            other = self._truth_with(value.ways, value.present)
            if other.value is not None and other.value == inner.value and other.ways:
                # What is given here is not enough, but leads to what else is needed.
                return Truth(inner.value, value.ways)
            if inner.value is None or (other.value is not None and other.value == inner.value):
                # What is given here changes nothing: it does not matter, or something else decides.
                return inner
            sure = value.ways if other.value is not None else ()
            return Truth(inner.value, _unique((*value.ways, *inner.ways)), _unique((*sure, *inner.sure)))
        if isinstance(value, Sequenced):
            return self._filled(value)
        return Truth(plain_truth(value))

    def _truth_with(self, ways: Ways, value: Value) -> Truth:
        """Whether a value would be true if one of these were given."""
        before, self.given = self.given, self.given | (ways[0] if ways else frozenset())
        try:
            return self.truth(value)
        finally:
            self.given = before

    def _filled(self, value: Sequenced) -> Truth:
        """Whether a list has items; some are only there as long as something is missing."""
        now = [item for item in value.items if self.item_is_there(item)]
        if not now:
            return Truth(False if value.complete else None)
        certain = [item for item in now if not is_conditional(item)]
        if certain or not value.complete:
            return Truth(value=True)
        ways = (keys_of_items(now),)
        return Truth(True, ways, ways)

    def item_is_there(self, item: Value) -> bool:
        """Whether an item is in its list, with what is given now."""
        return self.settle(item) is not ABSENT

    def lift(self, value: Value, change: Callable[[Value], Value]) -> Value:
        """Compute something from a value, whether what it depends on is given or not."""
        if isinstance(value, Configured):
            if self.is_given(value.ways):
                return self.lift(value.present, change)
            if value.size > _MOST_CASES:
                return Unknown(depends=depends_of(value))
            return Configured(value.ways, self.lift(value.missing, change), self.lift(value.present, change))
        return change(self.word(value) if isinstance(value, Word) else value)

    def insist(self, ways: Ways, name: str, place: str, reason: str) -> None:
        """The program cannot go on without one of these; once that is written down it does.

        Raises:
            Stopped: somebody may be there to handle the error.
        """
        if self._catching:
            stop = Stopped("throw", name, Unknown(truth=True), ways)
            stop.place, stop.reason, stop.path = place, reason, self.path()
            raise stop
        self.demand(ways, self.path(), place, reason)

    def path(self) -> Ways:
        """What would have led elsewhere, had it been given."""
        return _unique(tuple(way for frame in self.frames for ways in frame.path for way in ways))

    def demand(self, ways: Ways, path: Ways, place: str, reason: str) -> None:
        """Write down that one of these is needed here, and assume the first of them as given."""
        confidence = GUESSED if self.doubts else CERTAIN
        self.ledger.demand(ways, path, place, reason, confidence)
        self.given = self.given | ways[0]

    def _without_defaults(self, ways: Ways) -> Ways:
        """What has no default: code that goes on with one would not end for want of it."""
        seen = self.ledger.seen
        return tuple(way for way in ways if not all(key in seen and seen[key].has_default for key in way))

    def settle_stop(self, stop: Stopped, truth: Truth, place: str) -> bool:
        """A branch that was taken because of `truth` ended the program; whether to try it again.

        An error that somebody may handle travels on, with the reason for it.
        """
        if not stop.ways:
            stop.ways, stop.place = truth.sure or self._without_defaults(truth.ways), place
            stop.path = stop.path or self.path()
            stop.reason = stop.reason or "the program ends when it is missing"
        if not stop.ways or (stop.kind == "throw" and self._catching):
            return False
        self.demand(stop.ways, stop.path, stop.place or place, stop.reason)
        return True

    def gave_up(self, ways: Ways, place: str) -> None:
        """A function ended early for want of these; when it is the program's own, so may have the program."""
        if sum(frame.is_function for frame in self.frames) <= _MAIN_FUNCTIONS:
            self.early.append((ways, place))

    @contextmanager
    def doubt(self) -> Iterator[None]:
        """Whatever happens inside may not happen."""
        self.doubts += 1
        try:
            yield
        finally:
            self.doubts -= 1

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Errors raised inside may be handled."""
        self._catching += 1
        try:
            yield
        finally:
            self._catching -= 1

    @contextmanager
    def on_path(self, ways: Ways) -> Iterator[None]:
        """What happens inside only happens because these are missing."""
        path = self.frames[-1].path
        path.append(ways)
        try:
            yield
        finally:
            path.remove(ways)

    @contextmanager
    def journal(self) -> Iterator[Journal]:
        """Note what everything that is changed inside was before."""
        writes: Journal = {}
        self._journals.append(writes)
        try:
            yield writes
        finally:
            self._journals.pop()
            if self._journals:
                for place, write in writes.items():
                    self._journals[-1].setdefault(place, write)

    def write(self, target: dict[str, Value], key: str, value: Value) -> None:
        """Set a variable or a field."""
        if self._journals:
            self._journals[-1].setdefault((id(target), key), Write(target, key, target.get(key)))
        target[key] = value

    def append(self, target: Sequenced, value: Value) -> None:
        """Add an item to a list."""
        if self._journals:
            write = Write(target, "", None, len(target.items))
            self._journals[-1].setdefault((id(target), ""), write)
        if len(target.items) < MOST_ITEMS:
            target.items.append(value)
        else:
            target.complete = False


def plain_truth(value: Value) -> bool | None:
    """Whether a value that depends on nothing is true."""
    match value:
        case Known(constant):
            return bool(constant)
        case Unknown(truth, depends):
            if truth is None and depends & {MAIN, IMPORTED}:
                return MAIN in depends
            return truth
        case Record(fields, complete):
            return True if fields or complete else None
        case External(path):
            return None if path.endswith(")") else True
        case _:
            return True


def _unique(ways: Ways) -> Ways:
    return tuple(dict.fromkeys(ways))


def is_conditional(item: Value) -> bool:
    """Whether an item is only in its list as long as something is missing."""
    return isinstance(item, Configured) and (item.present is ABSENT or is_conditional(item.present))


def keys_of_items(items: list[Value]) -> frozenset[str]:
    """Everything that has to be given for these items to be gone."""
    return frozenset(
        key for item in items if isinstance(item, Configured) for way in item.ways for key in way
    )


def joined(first: Value | None, second: Value | None) -> Value:
    """What a variable may be after either of two things happened."""
    if first is None or first == second:
        return second if second is not None else Unknown()
    if second is None:
        return first
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Known) and one.value is None and not isinstance(other, Known | Unknown):
            return other
    if not isinstance(first, Known | Unknown | Configured):
        return first
    if not isinstance(second, Known | Unknown | Configured):
        return second
    return Unknown()
