"""Which version a server answers with."""

import pytest

from avow.core.snapshot import Era
from avow.protocol.negotiation import (
    Controls,
    UnknownVersions,
    VersionPolicy,
    choose_version,
    served_versions,
)

OFFER, REFUSE = UnknownVersions.COUNTER_OFFER, UnknownVersions.REFUSE


def test_what_is_served_is_what_policy_lets_in() -> None:
    strict = VersionPolicy(baseline="2025-06-18", controls=Controls.REJECT)

    assert served_versions(strict, Era.LEGACY) == ("2025-11-25", "2025-06-18")
    assert served_versions(VersionPolicy(minimum="2025-11-25"), Era.LEGACY) == ("2025-11-25",)
    assert served_versions(VersionPolicy(), Era.MODERN) == ("2026-07-28",)


@pytest.mark.parametrize(
    ("requested", "policy", "unknown", "chosen"),
    [
        ("2025-06-18", VersionPolicy(), REFUSE, "2025-06-18"),
        ("2025-06-18", VersionPolicy(preferred="2025-11-25"), OFFER, "2025-06-18"),
        ("1999-01-01", VersionPolicy(), REFUSE, None),
        ("1999-01-01", VersionPolicy(), OFFER, "2025-11-25"),
        ("1999-01-01", VersionPolicy(preferred="2025-06-18"), OFFER, "2025-06-18"),
        ("2026-07-28", VersionPolicy(preferred="2026-07-28"), OFFER, "2025-11-25"),
        ("2024-11-05", VersionPolicy(minimum="2025-03-26"), REFUSE, None),
        ("2024-11-05", VersionPolicy(minimum="2025-03-26"), OFFER, "2025-11-25"),
        ("2025-11-25", VersionPolicy(minimum="2026-07-28"), OFFER, None),
    ],
)
def test_a_version_is_chosen(
    requested: str, policy: VersionPolicy, unknown: UnknownVersions, chosen: str | None
) -> None:
    assert choose_version(requested, policy, unknown) == chosen
