"""Exit codes and the last line."""

from pathlib import Path

import pytest

from avow.cli.output.report import DriftReport
from avow.core.severity import Severity
from avow.system.checking import Compared
from drift_reports import BROKEN, CLEAN, DRIFTED, REWORDED, report


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (report(CLEAN), 0),
        (report(CLEAN, DRIFTED), 1),
        (report(CLEAN, DRIFTED, BROKEN), 2),
        (report(Compared("x", None, None, (REWORDED,))), 0),
    ],
)
def test_the_exit_code_is_the_worst_that_happened(found: DriftReport, code: int) -> None:
    """A server that could not be looked at counts more than one that drifted."""
    assert found.exit_code == code


def test_the_threshold_decides() -> None:
    """What passes for critical fails for safe."""
    reworded = Compared("x", None, None, (REWORDED,))

    assert DriftReport((reworded,), Severity.SAFE).exit_code == 1
    assert DriftReport((reworded,), Severity.MODERATE).exit_code == 0


def test_the_last_line_says_what_to_do() -> None:
    """It can be pasted into a shell, whatever a server is called."""
    assert report(CLEAN, DRIFTED).closing.endswith("avow lock notes")
    assert report(Compared("a b", None, None, (REWORDED,)), file=Path("x.lock")).closing.endswith(
        "avow lock --lockfile x.lock 'a b'"
    )
    assert report(CLEAN, CLEAN).closing == "All 2 servers are as approved."
    assert "not approved" in report(CLEAN, BROKEN).closing
