"""Drift of values that change by themselves: each must keep its shape, and none becomes one unseen."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from avow.core.drift.compare import diff
from avow.core.drift.compose import summarise
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.printable import printable
from avow.core.schema.vocabulary import escape
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.core.value_shape import in_words


def approval_drift(before: Snapshot, after: Snapshot) -> tuple[Drift, ...]:
    """Every difference to what was approved, and every value that `after` holds to less than `before` did."""
    shapes = {place.pointer for place in before.volatile}
    return (*(_rated(drift, shapes) for drift in diff(before, after)), *_loosened(before, after))


def _rated(drift: Drift, places: Collection[str]) -> Drift:
    """A value that may change within its shape and changed beyond it is never a small edit."""
    small = [change for change in drift.changes if change.severity < Severity.MODERATE]
    beyond = [change for change in small if _pointer(drift.name, change.path) in places]
    if not beyond:
        return drift
    rest = [change for change in drift.changes if change not in beyond]
    raised = [replace(change, severity=Severity.MODERATE) for change in beyond]
    changes = sorted((*rest, *raised), key=lambda change: -change.severity.rank)
    return replace(drift, severity=changes[0].severity, summary=summarise(changes), changes=tuple(changes))


def _loosened(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    shapes = {place.pointer: in_words(place.shape) for place in before.volatile}
    for place in after.volatile:
        old, new = shapes.get(place.pointer), in_words(place.shape)
        name, path = _parts(place.pointer)
        if name not in before.signature.tools or old == new:
            continue
        words = f"the value at {printable(path, 120)} changes by itself and is only held to be {_short(new)}"
        if old is not None:
            words += f" instead of {_short(old)}"
        change = Change(path, "changed", Effect.OTHER, Severity.MODERATE, words, old, new)
        yield Drift(DriftType.TOOL_CHANGED, "tool", name, Severity.MODERATE, words, (change,))


def _short(shape: str) -> str:
    return f"'{printable(shape, 60, fold=True)}'"


def _pointer(name: str, path: str) -> str:
    return f"/tools/{escape(name)}{path}"


def _parts(pointer: str) -> tuple[str, str]:
    """The tool that a pointer is about, and the rest of it."""
    _, _, step, rest = pointer.split("/", 3)
    return step.replace("~1", "/").replace("~0", "~"), f"/{rest}"
