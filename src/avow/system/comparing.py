"""Comparing any two things that hold snapshots: servers, saved files, whole lockfiles."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from avow.core.artifact import artifact_drift
from avow.core.canonical import MAX_FILE_DEPTH, Digest, parse_json
from avow.core.capability import Signature
from avow.core.documents import read_snapshot_document
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift
from avow.core.drift.volatile import approval_drift
from avow.core.lockfile import Entry, loads
from avow.core.secrets import Striking
from avow.core.snapshot import Snapshot
from avow.core.target import FileTarget
from avow.errors import MalformedInputError, UsageError
from avow.system.checking import Compared, Judging, judge
from avow.system.files import read_bounded
from avow.system.looking import Looking, look_at
from avow.system.targets import Reachable, same_place

Side: TypeAlias = Entry | Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Read:
    """One side of a comparison, and the values that its server was given: they must not show."""

    side: Side
    given: Mapping[str, str] = field(default_factory=dict, repr=False)


def read_side(reachable: Reachable, looking: Looking) -> Read:
    """One entry for a server or a saved snapshot, and all of its entries for a lockfile.

    Raises:
        AvowError: it cannot be read or looked at.
    """
    if isinstance(reachable.launch, FileTarget):
        return Read(_read_file(Path(reachable.launch.path)))
    seen = look_at(reachable, looking)
    return Read(Entry(seen.observation.first, seen.artifact), seen.given)


def compare_sides(one: Read, other: Read, names: tuple[str, str], judging: Judging) -> tuple[Compared, ...]:
    """One comparison for two single things, one per server for two lockfiles.

    Raises:
        UsageError: a lockfile stands against a single thing, and it is unclear which entry is meant.
    """
    before, after, given = one.side, other.side, {**one.given, **other.given}
    if not isinstance(before, Entry):
        if not isinstance(after, Entry):
            found = sorted({*before, *after})
            return tuple(_compare(name, before.get(name), after.get(name), given, judging) for name in found)
        before = _chosen(before, after, names[0])
    elif not isinstance(after, Entry):
        after = _chosen(after, before, names[1])
    return (_compare(" -> ".join(names), before, after, given, judging),)


def _read_file(path: Path) -> Side:
    data = read_bounded(path)
    try:
        document = parse_json(data, max_depth=MAX_FILE_DEPTH)
        if isinstance(document, dict) and "lockfileVersion" in document:
            return loads(data).servers
        return Entry(read_snapshot_document(document))
    except MalformedInputError as exc:
        raise type(exc)(f"{path}: {exc.message}", hint=exc.hint) from exc


def _chosen(entries: Mapping[str, Entry], other: Entry, name: str) -> Entry:
    target = other.snapshot.target
    fitting = [entry for entry in entries.values() if same_place(entry.snapshot.target, target)]
    for candidates in (fitting, list(entries.values())):
        if len(candidates) == 1:
            return candidates[0]
    raise UsageError(
        f"{name} has {len(entries)} entries, and it is unclear which to compare",
        hint="`avow check NAME` compares one entry with its server; `avow export NAME` writes it to a file",
    )


def _compare(
    name: str, before: Entry | None, after: Entry | None, given: Mapping[str, str], judging: Judging
) -> Compared:
    strike = Striking.of(given, (entry.snapshot for entry in (before, after) if entry))
    old, new = (
        entry and replace(entry, snapshot=strike.snapshot(entry.snapshot)) for entry in (before, after)
    )
    compared = Compared(name, _digest(before), _digest(after), _differences(old, new))
    return judge(replace(compared, snapshot=new.snapshot if new else None), judging)


def _differences(before: Entry | None, after: Entry | None) -> tuple[Drift, ...]:
    if before is None:
        assert after is not None
        return diff(_nothing_of(after.snapshot), after.snapshot)
    if after is None:
        return diff(before.snapshot, _nothing_of(before.snapshot))
    drifts = approval_drift(before.snapshot, after.snapshot)
    # Where a side does not know its package there is nothing to compare.
    return drifts if after.artifact is None else (*drifts, *artifact_drift(before.artifact, after.artifact))


def _nothing_of(snapshot: Snapshot) -> Snapshot:
    """The same server with nothing on offer: what an entry is compared with that one side lacks."""
    return replace(snapshot, signature=Signature(), instructions=None, configuration_schema=None)


def _digest(entry: Entry | None) -> Digest | None:
    return entry.snapshot.signature.digest if entry else None
