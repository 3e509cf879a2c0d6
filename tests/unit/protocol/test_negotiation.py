"""What a policy makes of the version that was agreed on."""

import pytest

from avow.core.severity import Severity
from avow.protocol.negotiation import Controls, VersionPolicy, judge_version


def happened(
    agreed: str, policy: VersionPolicy, requested: str = "2025-11-25", approved: str | None = None
) -> list[str]:
    return [
        event.event for event in judge_version(agreed, policy, requested=requested, approved=approved).events
    ]


@pytest.mark.parametrize(
    ("agreed", "requested", "approved", "expected"),
    [
        ("2025-11-25", "2025-11-25", None, []),
        ("2025-06-18", "2025-11-25", None, ["protocol_downgrade"]),
        ("2025-06-18", "2025-06-18", None, []),
        ("2025-06-18", "2025-06-18", "2025-11-25", ["protocol_downgrade"]),
        ("2025-11-25", "2025-06-18", "2025-06-18", []),
        ("2099-01-01", "2025-11-25", None, ["protocol_unknown"]),
    ],
)
def test_a_session_is_measured_by_what_was_preferred(
    agreed: str, requested: str, approved: str | None, expected: list[str]
) -> None:
    assert happened(agreed, VersionPolicy(), requested, approved) == expected


def test_the_preferred_version_of_a_policy_counts_most() -> None:
    assert happened("2025-06-18", VersionPolicy(preferred="2025-03-26"), approved="2025-11-25") == []
    assert happened("2025-11-25", VersionPolicy(preferred="2026-07-28")) == ["protocol_downgrade"]


def test_who_chose_an_older_version_makes_a_difference() -> None:
    policy = VersionPolicy(preferred="2025-11-25")

    (asked_for,) = judge_version("2025-03-26", policy, requested="2025-03-26").events
    (chosen,) = judge_version("2025-03-26", policy, requested="2025-11-25").events

    assert (asked_for.severity, chosen.severity) == (Severity.INFO, Severity.CRITICAL)


@pytest.mark.parametrize(
    ("controls", "refused", "restricted"),
    [(Controls.RESTRICT, False, True), (Controls.REJECT, True, False), (Controls.LOG, False, False)],
)
def test_below_the_baseline_the_controls_apply(controls: Controls, refused: bool, restricted: bool) -> None:
    policy = VersionPolicy(baseline="2025-06-18", controls=controls)

    below = judge_version("2025-03-26", policy, requested="2025-03-26")
    above = judge_version("2025-06-18", policy, requested="2025-06-18")

    assert (below.refused, below.restricted) == (refused, restricted)
    assert (above.refused, above.restricted, above.events) == (False, False, ())
    assert "protocol_below_baseline" in [event.event for event in below.events]


def test_below_the_minimum_there_is_no_session() -> None:
    policy = VersionPolicy(minimum="2025-06-18")

    assert judge_version("2025-03-26", policy, requested="2025-03-26").refused
    assert judge_version("2099-01-01", policy, requested="2099-01-01").refused
    assert not judge_version("2025-06-18", policy, requested="2025-03-26").refused
