"""Versions are a list, not text to compare."""

from avow.core.snapshot import Era
from avow.protocol.versions import KNOWN, MODERN, era_of, is_older, rank


def test_versions_are_in_the_order_of_their_release() -> None:
    assert list(KNOWN) == sorted(KNOWN)
    assert is_older("2025-03-26", "2025-11-25")
    assert not is_older("2025-11-25", "2025-11-25")


def test_an_unknown_version_is_older_than_all() -> None:
    assert rank("2099-01-01") == -1
    assert is_older("zzz", "2024-11-05")
    assert not is_older("2024-11-05", "zzz")


def test_each_version_has_an_era() -> None:
    assert [era_of(version) for version in KNOWN] == [Era.LEGACY] * 4 + [Era.MODERN]
    assert set(MODERN) <= set(KNOWN)
    assert era_of("zzz") is None
