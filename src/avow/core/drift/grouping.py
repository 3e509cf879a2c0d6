"""Drift that many capabilities share, told once."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from avow.core.drift.model import Drift, DriftType

_CHANGED = frozenset(
    {
        DriftType.TOOL_CHANGED,
        DriftType.PROMPT_CHANGED,
        DriftType.RESOURCE_CHANGED,
        DriftType.TEMPLATE_CHANGED,
    }
)
_Likeness: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """One or more drifts that say the same, and what they say."""

    drifts: tuple[Drift, ...]
    summary: str


def group_alike(drifts: Iterable[Drift]) -> tuple[Group, ...]:
    """Drifts that changed alike come together, at the place of the first of them.

    Alike are capabilities of one kind that changed with the same severity, summary and hint, whatever
    the names of the arguments concerned; what was added or removed stays by itself.
    """
    groups: dict[_Likeness, list[Drift]] = {}
    for position, drift in enumerate(drifts):
        groups.setdefault(_likeness(drift, position), []).append(drift)
    return tuple(Group(tuple(group), group[0].summary) for group in groups.values())


def _likeness(drift: Drift, position: int) -> _Likeness:
    if drift.type not in _CHANGED:
        return (position,)
    effects = frozenset((change.effect, change.severity, change.summary) for change in drift.changes)
    return (drift.type, drift.kind, drift.severity, drift.summary, effects, drift.hint, drift.seen)
