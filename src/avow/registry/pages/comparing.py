"""Two versions of a server side by side: every difference, with the words and parts that changed."""

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
from avow.registry.api.reading import with_both
from avow.registry.approvals import found_version
from avow.registry.model import PublishedVersion
from avow.registry.pages.remembering import Remembered
from avow.registry.pages.servers import name_of
from avow.registry.pages.sides import Sides, document_sides, text_sides
from avow.registry.pages.site import Handler, View, Visit
from avow.registry.service import Service
from avow.registry.snapshots import stored_pair

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


def comparison() -> Handler:
    """The page; without versions to compare, the newest with the one before."""
    far: Remembered[tuple[str, str], Comparison] = Remembered()

    async def handler(visit: Visit) -> View:
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
                "comparison": await compared(visit.service, before, after, far),
            },
        )

    return handler


async def compared(
    service: Service,
    before: PublishedVersion,
    after: PublishedVersion,
    far: Remembered[tuple[str, str], Comparison],
) -> Comparison:
    """Compare two versions; neighbours were compared when the later one was published."""
    known: tuple[Drift, ...] | None = None
    if after.predecessor == before.version:
        documents = (await service.store.drifts(after.name, [after.version])).get(after.version, ())
        known = tuple(map(_read_drift, documents))
        if all(map(_says_all, known)):
            return _comparison(known, ())
    return await far.get((before.content, after.content), lambda: _computed(service, before, after, known))


async def _computed(
    service: Service, before: PublishedVersion, after: PublishedVersion, known: tuple[Drift, ...] | None
) -> tuple[Comparison, int]:
    return await with_both(service, before, after, _compare, known)


def _compare(before: bytes, after: bytes, known: tuple[Drift, ...] | None) -> Comparison:
    old, new = stored_pair(before, after)
    if known is None:
        known = diff(old, new)
    return _comparison(known, (old.signature, new.signature))


def _comparison(drifts: Sequence[Drift], signatures: Sequence[Signature]) -> Comparison:
    groups = group_alike(drifts)
    counts = Counter(drift.severity for drift in drifts)
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


def _says_all(drift: Drift) -> bool:
    """Whether nothing has to be shown beside it: of a capability that came or went, the whole is."""
    return bool(drift.changes) or drift.type is DriftType.RISK_LEVEL_CHANGED


def _places(drift: Drift, signatures: Sequence[Signature]) -> tuple[Place, ...]:
    if drift.changes:
        return tuple(dict.fromkeys(_place(change) for change in drift.changes))
    if _says_all(drift):
        return ()
    before, after = (_definition(each, drift) for each in signatures)
    if before is None and after is None:
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
