"""Severities are ordered by how much they matter."""

from avow.core.severity import Severity


def test_the_order_is_not_that_of_the_alphabet() -> None:
    info, safe, moderate, critical = Severity

    assert info < safe < moderate < critical
    assert critical > moderate >= moderate > info
    assert info <= info <= safe
    assert not critical < info
    assert max(Severity) is critical
