"""Drift as machine output writes it."""

from avow.core.drift.model import Change, Drift, DriftType, Effect, drift_document, highest
from avow.core.severity import Severity

ADDED = Change("/title", "added", Effect.WORDING, Severity.SAFE, "the title was added", None, "Read")
REMOVED = Change("/_meta", "removed", Effect.OTHER, Severity.MODERATE, "gone", {"x": None})
DRIFT = Drift(
    DriftType.TOOL_CHANGED, "tool", "read", Severity.MODERATE, "gone, and 1 smaller change", (REMOVED, ADDED)
)


def test_a_drift_is_written_with_all_its_changes() -> None:
    assert drift_document(DRIFT) == {
        "type": "tool_changed",
        "kind": "tool",
        "name": "read",
        "severity": "moderate",
        "summary": "gone, and 1 smaller change",
        "changes": [
            {
                "path": "/_meta",
                "change": "removed",
                "effect": "other",
                "severity": "moderate",
                "summary": "gone",
                "before": {"x": None},
            },
            {
                "path": "/title",
                "change": "added",
                "effect": "wording",
                "severity": "safe",
                "summary": "the title was added",
                "after": "Read",
            },
        ],
    }


def test_a_hint_and_a_second_look_are_written_when_there_are_any() -> None:
    drift = Drift(
        DriftType.TOOL_ADDED, "tool", "x", Severity.CRITICAL, "new", hint="look", seen="on the second list"
    )

    document = drift_document(drift)

    assert (document["hint"], document["seen"]) == ("look", "on the second list")


def test_the_highest_severity_of_none_is_none() -> None:
    assert highest([]) is None
    assert highest([DRIFT]) is Severity.MODERATE
