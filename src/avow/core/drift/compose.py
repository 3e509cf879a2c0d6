"""From the changes of one capability to one drift: its severity and a sentence."""

from collections.abc import Sequence

from avow.core.canonical import JsonValue
from avow.core.drift.hints import hint_for
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.drift.notation import NOTATION, how_written
from avow.core.drift.signs import escalated
from avow.core.severity import Severity


def compose(
    drift_type: DriftType, kind: str, name: str, changes: list[Change], before: JsonValue, after: JsonValue
) -> Drift:
    """One drift from changes of which there is at least one; new signs in any text make it critical."""
    rated = sorted(escalated(changes, before, after), key=lambda change: -change.severity.rank)
    hint = hint_for(rated)
    return Drift(drift_type, kind, name, rated[0].severity, summarise(rated), tuple(rated), hint)


def summarise(changes: Sequence[Change]) -> str:
    """The most severe change in words, and how many others there are; `changes` are sorted."""
    first, details = changes[0], _details(changes)
    summary = f"{NOTATION} ({', '.join(details)})" if _is_notation(first) else first.summary
    others = [change for change in changes[1:] if not _is_notation(change)]
    count = len(others) + (1 if details and not _is_notation(first) else 0)
    if not count:
        return summary
    smaller = "smaller " if all(change.severity < first.severity for change in changes[1:]) else "more "
    return f"{summary}, and {count} {smaller}change{'s' if count > 1 else ''}"


def _is_notation(change: Change) -> bool:
    return change.effect is Effect.NOTATION and change.severity is Severity.SAFE


def _details(changes: Sequence[Change]) -> list[str]:
    return sorted({how_written(change) for change in changes if _is_notation(change)})
