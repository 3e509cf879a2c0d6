"""`diff`: every difference between two snapshots, typed and rated."""

from collections.abc import Iterator, Mapping
from typing import Final

from avow.core.capability import Capability, Kind
from avow.core.drift.annotations import without_defaults
from avow.core.drift.compose import compose
from avow.core.drift.model import Change, Drift, DriftType
from avow.core.drift.negotiation import negotiation_drift
from avow.core.drift.prompts import prompt_changes
from avow.core.drift.renames import renamed
from avow.core.drift.resources import in_reach, reach, reached, resource_changes
from avow.core.drift.server import server_drift
from avow.core.drift.signs import in_words, signs_of
from avow.core.drift.tools import tool_changes
from avow.core.printable import printable
from avow.core.risk import Level, Rating, assess, level_of
from avow.core.schema.document import Budget
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.core.volatile import with_volatile

# Enough for thousands of changed schemas; a server that wants us to compare for ever meets this end.
_STEPS: Final = 1_000_000


def diff(before: Snapshot, after: Snapshot, rate: Rating = level_of) -> tuple[Drift, ...]:
    """List every difference between what was approved and what is there, most severe first.

    Whoever has rated capabilities already gives a `rate` that remembers it; the answer is the same.
    """
    if volatile := {*before.volatile, *after.volatile}:
        before, after = with_volatile(before, volatile), with_volatile(after, volatile)
    found = [*server_drift(before, after), *negotiation_drift(before, after)]
    budget = Budget(_STEPS)
    for kind in Kind:
        found.extend(_kind_drift(kind, before, after, budget, rate))
    return tuple(sorted(found, key=_place))


def _place(drift: Drift) -> tuple[int, str, str, bool, str]:
    """Where a drift belongs in the order: what changed in a capability comes before what that means."""
    is_consequence = drift.type is DriftType.RISK_LEVEL_CHANGED
    return (-drift.severity.rank, drift.kind, drift.name, is_consequence, drift.type)


def _kind_drift(
    kind: Kind, before: Snapshot, after: Snapshot, budget: Budget, rate: Rating
) -> Iterator[Drift]:
    old, new = before.signature.of_kind(kind), after.signature.of_kind(kind)
    removed = [capability for name, capability in old.items() if name not in new]
    added = [capability for name, capability in new.items() if name not in old]
    aliases = renamed(removed, added) if removed and added else {}
    known = _known_reach(before) if kind in (Kind.RESOURCE, Kind.TEMPLATE) and added else frozenset()
    for capability in removed:
        words = f"the {kind} is no longer there"
        yield Drift(DriftType(f"{kind}_removed"), kind, capability.name, Severity.INFO, words)
    for capability in added:
        yield _added(capability, aliases, known, rate)
    for name, capability in new.items():
        if name in old and old[name].digest != capability.digest:
            yield from _changed(old[name], capability, budget, rate)


def _known_reach(before: Snapshot) -> frozenset[tuple[str, str]]:
    return reached((*before.signature.resources.values(), *before.signature.templates.values()))


def _added(
    capability: Capability, aliases: Mapping[str, str], known: frozenset[tuple[str, str]], rate: Rating
) -> Drift:
    kind, severity = capability.kind, Severity.MODERATE
    words = f"a new {kind} that nobody approved"
    if kind is Kind.TOOL:
        severity, words = Severity.CRITICAL, f"a new tool that nobody approved, {rate(capability)} risk"
    elif kind in (Kind.RESOURCE, Kind.TEMPLATE) and reach(capability.name) not in known:
        where = printable(in_reach(capability.name), 80, fold=True)
        severity, words = Severity.CRITICAL, f"a new {kind} that brings {where} within reach"
    if signs := signs_of(capability.definition):
        severity = Severity.CRITICAL
        words += f"; it shows {in_words(signs[0])}"
    older = aliases.get(capability.name)
    hint = f"looks like '{printable(older, 60, fold=True)}' renamed" if older else ""
    if hint:
        words += f" ({hint})"
    return Drift(DriftType(f"{kind}_added"), kind, capability.name, severity, words, hint=hint)


def _changed(before: Capability, after: Capability, budget: Budget, rate: Rating) -> Iterator[Drift]:
    kind = after.kind
    changes = _changes(before, after, budget)
    drift_type = DriftType(f"{kind}_changed")
    yield compose(drift_type, kind, after.name, changes, before.definition, after.definition)
    yield from _risk(before, after, rate)


def _changes(before: Capability, after: Capability, budget: Budget) -> list[Change]:
    if after.kind is Kind.TOOL:
        return tool_changes(before, after, budget)
    if after.kind is Kind.PROMPT:
        return prompt_changes(before, after)
    return resource_changes(before, after)


def _risk(before: Capability, after: Capability, rate: Rating) -> Iterator[Drift]:
    old, new = _level(before, rate), _level(after, rate)
    if old is new:
        return
    rises = new.rank > old.rank
    because = f": {printable(_reason(before, after), 160, fold=True)}" if rises else ""
    words = f"risk {'rises' if rises else 'falls'} from {old} to {new}{because}"
    severity = Severity.CRITICAL if rises else Severity.INFO
    yield Drift(DriftType.RISK_LEVEL_CHANGED, after.kind, after.name, severity, words)


def _level(capability: Capability, rate: Rating) -> Level:
    plain = without_defaults(capability)
    # Nobody else has rated what is nearly the capability, and it goes by the digest of the whole one.
    return rate(capability) if plain is capability else level_of(plain)


def _reason(before: Capability, after: Capability) -> str:
    """The first reason for the new level that was none before; a level that rises has one."""
    old, new = assess(without_defaults(before)), assess(without_defaults(after))
    return next((reason for reason in new.reasons if reason not in old.reasons), new.reasons[0])
