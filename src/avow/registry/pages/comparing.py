"""Two versions of a server side by side: every difference, with the words and parts that changed."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.capability import Kind, Signature
from avow.core.drift.compare import diff
from avow.core.drift.grouping import Group, group_alike
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.severity import Severity
from avow.registry.api.reading import payload
from avow.registry.approvals import found_version
from avow.registry.model import PublishedVersion
from avow.registry.pages.servers import name_of
from avow.registry.pages.sides import Sides, document_sides, text_sides
from avow.registry.pages.site import View, Visit
from avow.registry.snapshots import stored_snapshot
from avow.registry.store.interface import Store

MOST_CHANGES: Final = 60
MOST_GROUPS: Final = 300
MOST_NAMES: Final = 40
VERSIONS: Final = 200


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a definition that differs."""

    path: str
    summary: str
    severity: Severity
    sides: Sides


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference, or several that say the same; the places are those of the first.

    `smaller` places are less severe than the difference as a whole.
    """

    severity: Severity
    type: DriftType
    kind: str
    names: tuple[str, ...]
    more_names: int
    summary: str
    hint: str
    places: tuple[Place, ...]
    smaller: tuple[Place, ...]
    more_places: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences, the most severe first, and how many there are of each severity."""

    differences: tuple[Difference, ...]
    left_out: int
    counts: Mapping[Severity, int]


async def comparison(visit: Visit) -> View:
    """The page; without versions to compare, the newest with the one before."""
    name, store = name_of(visit), visit.service.store
    after = await found_version(store, name, visit.asked("to") or None)
    before = await found_version(store, name, visit.asked("from") or after.predecessor or after.version)
    history = await store.versions(name, limit=VERSIONS)
    return View(
        "compare.html",
        {
            "name": name,
            "before": before,
            "after": after,
            "versions": _choices([each.version for each in history.items], before, after),
            "comparison": await compared(store, before, after),
        },
    )


async def compared(store: Store, before: PublishedVersion, after: PublishedVersion) -> Comparison:
    """Compare two versions; neighbours were compared when the later one was published."""
    if after.predecessor == before.version:
        documents = (await store.drifts(after.name, [after.version])).get(after.version, ())
        known = tuple(map(_read_drift, documents))
        # Differences inside of a capability say all there is; of one that came or went the whole is shown.
        whole = any(not drift.changes for drift in known)
    else:
        known, whole = None, True
    payloads = [await payload(store, each) for each in (before, after)] if whole else []
    # In a thread: a signature can be large.
    return await asyncio.to_thread(_compare, payloads, known)


def _compare(payloads: Sequence[bytes], known: Sequence[Drift] | None) -> Comparison:
    sides = tuple(stored_snapshot(each) for each in payloads)
    drifts = diff(*sides) if known is None else known
    groups = group_alike(drifts)
    counts = Counter(drift.severity for drift in drifts)
    signatures = tuple(each.signature for each in sides)
    return Comparison(
        tuple(_difference(group, signatures) for group in groups[:MOST_GROUPS]),
        max(len(groups) - MOST_GROUPS, 0),
        {level: counts[level] for level in reversed(Severity) if counts[level]},
    )


def _read_drift(document: JsonObject) -> Drift:
    """The inverse of `drift_document`, for what this registry wrote itself."""
    changes = tuple(
        Change(
            change["path"],
            change["change"],
            Effect(change["effect"]),
            Severity(change["severity"]),
            change["summary"],
            change.get("before"),
            change.get("after"),
        )
        for change in document["changes"]
    )
    return Drift(
        DriftType(document["type"]),
        document["kind"],
        document["name"],
        Severity(document["severity"]),
        document["summary"],
        changes,
        document.get("hint", ""),
        document.get("seen", ""),
    )


def _difference(group: Group, signatures: Sequence[Signature]) -> Difference:
    first = group.drifts[0]
    names = tuple(drift.name for drift in group.drifts)
    found = _places(first, signatures)
    places = found[:MOST_CHANGES]
    return Difference(
        first.severity,
        first.type,
        first.kind,
        names[:MOST_NAMES],
        max(len(names) - MOST_NAMES, 0),
        group.summary,
        first.hint,
        tuple(place for place in places if place.severity >= first.severity),
        tuple(place for place in places if place.severity < first.severity),
        max(len(found) - MOST_CHANGES, 0),
    )


def _places(drift: Drift, signatures: Sequence[Signature]) -> tuple[Place, ...]:
    if drift.changes:
        return tuple(dict.fromkeys(_place(change) for change in drift.changes))
    before, after = (_definition(each, drift) for each in signatures)
    if drift.type is DriftType.RISK_LEVEL_CHANGED or (before is None and after is None):
        return ()
    change = "added" if before is None else "removed" if after is None else "changed"
    return (Place("", "", drift.severity, document_sides(before, after, change)),)


def _definition(signature: Signature, drift: Drift) -> dict[str, object] | None:
    if drift.kind not in list(Kind):
        return None
    found = signature.of_kind(Kind(drift.kind)).get(drift.name)
    return None if found is None else found.definition


def _place(change: Change) -> Place:
    if isinstance(change.before, str) and isinstance(change.after, str):
        sides = text_sides(change.before, change.after)
    else:
        sides = document_sides(change.before, change.after, change.change)
    return Place(change.path, change.summary, change.severity, sides)


def _choices(versions: list[str], *chosen: PublishedVersion) -> list[str]:
    """What to choose from, with what is chosen among it however old it is."""
    return [*versions, *dict.fromkeys(each.version for each in chosen if each.version not in versions)]
