"""What people see of servers that have to be approved in a registry."""

from datetime import UTC, datetime

import pytest

from avow.cli.held_report import HeldReport
from avow.cli.output.drift_lines import report_lines
from avow.core.severity import Severity
from avow.core.tlog.decisions import APPROVED, PENDING, REJECTED
from avow.system.checking import Compared
from avow.system.registry_approvals import UNKNOWN, Standing
from avow.system.registry_client.approved_state import Approved
from drift_reports import CLEAN, REWORDED
from small_registry import NAME

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def heading(compared: Compared, state: str) -> tuple[str, str]:
    """The verdict on a server that stands so in the registry, and its style."""
    approved = Approved(NAME, "production", (), None, NOW)
    standings = {compared.name: Standing(state, "", "1.0.0", (), approved, NOW)}
    report = HeldReport((compared,), Severity.CRITICAL, standings=standings)
    return next(iter(report_lines(report))).body.pieces[-1]


@pytest.mark.parametrize("state", [PENDING, REJECTED, UNKNOWN])
def test_what_is_not_approved_looks_like_a_refusal(state: str) -> None:
    """Also when nothing drifted, or little did."""
    assert heading(CLEAN, state) == ("not approved in production", "bold red")
    reworded = Compared("files", None, None, (REWORDED,))
    assert heading(reworded, state) == ("1 safe, not approved in production", "bold red")


def test_what_is_approved_looks_as_its_drift_does() -> None:
    assert heading(CLEAN, APPROVED) == ("as approved", "green")
    assert heading(Compared("files", None, None, (REWORDED,)), APPROVED) == ("1 safe", "green")
