"""Drift that many capabilities share, told once."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from avow.core.capability import Kind
from avow.core.drift.model import Drift, DriftType

# A new tool stands by itself, however many there are.
_GROUPED: Final = frozenset(
    {
        *(DriftType(f"{kind}_changed") for kind in Kind),
        *(DriftType(f"{kind}_removed") for kind in Kind),
        *(DriftType(f"{kind}_added") for kind in Kind if kind is not Kind.TOOL),
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

    Alike are capabilities of one kind with the same severity, the same hint and the same words for each
    change; a new tool, a level of risk and what concerns the server stand by themselves.
    """
    groups: dict[_Likeness, list[Drift]] = {}
    for position, drift in enumerate(drifts):
        groups.setdefault(_likeness(drift, position), []).append(drift)
    return tuple(Group(tuple(group), group[0].summary) for group in groups.values())


def _likeness(drift: Drift, position: int) -> _Likeness:
    if drift.type not in _GROUPED:
        return (position,)
    effects = frozenset((change.effect, change.severity, change.summary) for change in drift.changes)
    return (drift.type, drift.kind, drift.severity, drift.summary, effects, drift.hint, drift.seen)
