"""Findings that somebody accepts: a remark in the source or a rule in settings, always with a reason."""

from pathlib import Path

import pytest

from avow.audit.model import Finding, Level, Pattern, Place
from avow.audit.report import Report
from avow.audit.scan import scan
from avow.audit.scorecard import scorecard
from avow.audit.settings import AuditSettings, IgnoreRule, read_audit
from avow.audit.source.ignoring import remarks_in
from avow.errors import UsageError

IMPORT = "from mcp.server.fastmcp import FastMCP\n"


def audited(tmp_path: Path, code: str) -> Report:
    path = tmp_path / "server.py"
    path.write_text(code)
    return scan(path)


@pytest.mark.parametrize(
    "code",
    [
        f'{IMPORT}mcp = FastMCP("a")  # avow: ignore[AVW041] behind the gateway\n',
        f'{IMPORT}# avow: ignore[AVW041] behind the gateway\nmcp = FastMCP("a")\n',
        f'{IMPORT}mcp = FastMCP("a")  # avow: ignore[avw010, AVW041] behind the gateway\n',
    ],
    ids=["on the line", "above it", "several rules"],
)
def test_a_remark_accepts_a_finding(tmp_path: Path, code: str) -> None:
    report = audited(tmp_path, code)

    assert report.findings == ()
    assert [(one.finding.rule, one.reason, one.in_source) for one in report.ignored] == [
        ("AVW041", "behind the gateway", True)
    ]


def test_a_remark_in_typescript(tmp_path: Path) -> None:
    path = tmp_path / "server.ts"
    path.write_text('new McpServer({ name: "a" }); /* avow: ignore[AVW041] behind the gateway */\n')

    assert [one.reason for one in scan(path).ignored] == ["behind the gateway"]


@pytest.mark.parametrize(
    ("remark", "note"),
    [
        ("# avow: ignore[AVW041]", "has no reason, and ignores nothing"),
        ("# avow: ignore[AVW010] not here", "fits no finding; remove it"),
        ("# avow: ignore[AVV041] misspelt", "AVV041 is no rule"),
    ],
)
def test_a_remark_that_does_nothing_is_told(tmp_path: Path, remark: str, note: str) -> None:
    report = audited(tmp_path, f'{IMPORT}mcp = FastMCP("a")  {remark}\n')

    assert [finding.rule for finding in report.findings] == ["AVW041"]
    assert any(note in one for one in report.notes)


def test_a_remark_covers_its_line_only() -> None:
    [remark] = remarks_in("a.py", "x = 1\ny = 2  # avow: ignore[AVW001] why\nz = 3\n")

    assert remark.covers == (2,)


def finding(rule: str = "AVW041", path: str = "legacy/server.py") -> Finding:
    return Finding(rule, Pattern.INITIALIZATION, Level.LOW, Level.HIGH, "says", Place(path))


def reported(*findings: Finding) -> Report:
    return Report("src", findings, scorecard(findings, looked=frozenset(Pattern)))


@pytest.mark.parametrize("path", ["", "legacy/*", "src/legacy/*", "src/legacy/server.py"])
def test_settings_accept_by_rule_and_path(path: str) -> None:
    settings = AuditSettings(ignore=(IgnoreRule("AVW041", "old", path),))

    report = settings.apply(reported(finding(), finding("AVW040")))

    assert [one.rule for one in report.findings] == ["AVW040"]
    assert [(one.reason, one.in_source) for one in report.ignored] == [("old", False)]


def test_a_rule_of_the_settings_that_fits_nothing_is_told() -> None:
    settings = AuditSettings(ignore=(IgnoreRule("AVW041", "old", "elsewhere/*"),))

    report = settings.apply(reported(finding()))

    assert report.notes == ("avow.toml ignores AVW041 under elsewhere/* and nothing is found there",)
    assert len(report.findings) == 1


def test_only_selected_rules_speak() -> None:
    settings = AuditSettings(select=frozenset({"AVW040"}))

    assert [one.rule for one in settings.apply(reported(finding(), finding("AVW040"))).findings] == ["AVW040"]


def test_settings_are_read() -> None:
    settings = read_audit(
        {
            "fail_on": "high",
            "select": ["avw010"],
            "ignore": [{"rule": "AVW041", "path": "a/*", "reason": "old"}],
        }
    )

    accepted = (IgnoreRule("AVW041", "old", "a/*"),)
    said = frozenset({"fail_on", "select", "ignore"})
    assert settings == AuditSettings(Level.HIGH, frozenset({"AVW010"}), accepted, said)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"fail_no": "high"}, "'fail_no' is not possible in \\[audit\\]"),
        ({"fail_on": "severe"}, "none of low, medium, high"),
        ({"select": "AVW010"}, "audit.select is not a list"),
        ({"select": ["AVW999"]}, "there is no rule 'AVW999'"),
        ({"ignore": "AVW010"}, "not a list of tables"),
        ({"ignore": ["AVW010"]}, "not a list of tables"),
        ({"ignore": [{"rule": "AVW010"}]}, "has no reason"),
        ({"ignore": [{"rule": "AVW010", "reason": "x", "path": 1}]}, "is not text"),
        ({"ignore": [{"rule": "AVW010", "reason": "x", "paht": "a"}]}, "'paht' is not possible"),
    ],
)
def test_settings_that_cannot_be_are_refused(table: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_audit(table)
