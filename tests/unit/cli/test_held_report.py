"""What people see of servers that have to be approved in a registry."""

import json
from datetime import UTC, datetime

import pytest

from avow.cli.held_report import HeldReport, print_held
from avow.cli.output.drift_lines import report_lines
from avow.core.severity import Severity
from avow.core.tlog.decisions import APPROVED, PENDING, REJECTED
from avow.core.tlog.entry import ApprovalEntry
from avow.system.checking import Compared
from avow.system.registry_client.approved_state import Approved
from avow.system.registry_standing import UNKNOWN, Standing
from drift_reports import CLEAN, REWORDED
from small_registry import NAME

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def held(compared: Compared, state: str, *decisions: ApprovalEntry, offline: bool = False) -> HeldReport:
    """The report about a server that stands so in the registry."""
    approved = Approved(NAME, "production", (), None, NOW, is_offline=offline)
    standings = {compared.name: Standing(state, "", "1.0.0", decisions, approved, NOW)}
    return HeldReport((compared,), Severity.CRITICAL, standings=standings)


def heading(compared: Compared, state: str) -> tuple[str, str]:
    """The verdict on it, and its style."""
    return next(iter(report_lines(held(compared, state)))).body.pieces[-1]


@pytest.mark.parametrize("state", [PENDING, REJECTED, UNKNOWN])
def test_what_is_not_approved_looks_like_a_refusal(state: str) -> None:
    """Also when nothing drifted, or little did."""
    assert heading(CLEAN, state) == ("not approved in production", "bold red")
    reworded = Compared("files", None, None, (REWORDED,))
    assert heading(reworded, state) == ("1 safe, not approved in production", "bold red")


def test_every_format_says_what_is_not_approved(capsys: pytest.CaptureFixture[str]) -> None:
    """Who uploads the SARIF of a build must not see a clean result where the build ended with 1."""
    reason = "sends everything home"
    no = ApprovalEntry(
        time="2026-11-15T12:00:00.000Z",
        name=str(NAME),
        version="1.0.0",
        digest="sha256:" + 64 * "0",
        environment="production",
        state=REJECTED,
        needed=1,
        by="Ada",
        reason=reason,
    )
    report = held(CLEAN, REJECTED, no, offline=True)
    assert report.exit_code == 1
    printed = {}
    for format_name in ("text", "json", "markdown", "sarif"):
        print_held(report, format_name)
        printed[format_name] = capsys.readouterr().out

    assert "not approved in production" in printed["text"]
    assert "not approved in production" in printed["markdown"]
    registry = json.loads(printed["json"])["servers"][CLEAN.name]["registry"]
    assert (registry["state"], registry["decisions"][0]["by"]) == ("rejected", "Ada")
    [run] = json.loads(printed["sarif"])["runs"]
    [result] = run["results"]
    assert (result["ruleId"], result["level"]) == ("not_approved", "error")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "not_approved"
    assert "Ada rejected it" in result["message"]["text"]
    assert reason in result["message"]["text"]
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert "the registry did not answer" in note["message"]["text"]


def test_what_is_approved_looks_as_its_drift_does() -> None:
    assert heading(CLEAN, APPROVED) == ("as approved", "green")
    assert heading(Compared("files", None, None, (REWORDED,)), APPROVED) == ("1 safe", "green")
