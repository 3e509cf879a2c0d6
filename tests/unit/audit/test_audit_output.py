"""The formats of an audit: what GitHub, scripts, pull requests and people get."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from avow.audit.catalogue import RULES
from avow.audit.report import Report
from avow.audit.scan import scan
from avow.cli.output.audit import json as json_format
from avow.cli.output.audit import markdown, sarif, text

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "tests" / "data" / "sarif-schema-2.1.0.json").read_text())
CODE = """\
from mcp.server.fastmcp import FastMCP

é = "é"; one = FastMCP("a")
two = FastMCP("b")  # avow: ignore[AVW041] behind the gateway
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my src").mkdir()
    (tmp_path / "my src" / "server.py").write_text(CODE)
    return tmp_path


def run_of(report: Report) -> dict[str, Any]:
    document = json.loads(sarif.audit(report))
    jsonschema.validate(document, SCHEMA)
    [run] = document["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_has_exact_regions_in_characters(tree: Path) -> None:
    run = run_of(scan(Path("my src")))

    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert place["artifactLocation"]["uri"] == "my%20src/server.py"
    assert place["region"] == {"startLine": 3, "startColumn": 16, "endLine": 3, "endColumn": 28}


def test_sarif_paths_begin_where_the_audit_runs(tree: Path) -> None:
    for subject in (tree / "my src", tree / "my src" / "server.py", Path("my src/server.py")):
        place = run_of(scan(subject))["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "my%20src/server.py"


def test_sarif_shows_what_is_accepted_as_suppressed(tree: Path) -> None:
    open_, accepted = run_of(scan(Path("my src")))["results"]

    assert "suppressions" not in open_
    assert accepted["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "behind the gateway"}
    ]


def test_fingerprints_stay_when_lines_move_and_findings_are_accepted(tree: Path) -> None:
    before = [one["partialFingerprints"] for one in run_of(scan(Path("my src")))["results"]]
    moved = "# one more line\n" * 7 + CODE.replace("  # avow: ignore[AVW041] behind the gateway", "")
    (tree / "my src" / "server.py").write_text(moved)
    after = [one["partialFingerprints"] for one in run_of(scan(Path("my src")))["results"]]

    assert after == before
    assert before[0] != before[1]


def test_sarif_describes_every_rule(tree: Path) -> None:
    rules = run_of(scan(Path("my src")))["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == list(RULES)


def test_json_has_the_members_that_scripts_read(tree: Path) -> None:
    document = json.loads(json_format.audit(scan(Path("my src"))))

    [finding] = document["findings"]
    assert finding == {
        "rule": "AVW041",
        "pattern": "initialization",
        "severity": "low",
        "confidence": "medium",
        "message": "serves lists before the session is active, as its SDK does; add a guard",
        "path": "server.py",
        "line": 3,
        "column": 16,
        "endLine": 3,
        "endColumn": 28,
        "evidence": [],
    }
    assert set(document["scorecard"]) == {
        "minimal-declaration",
        "feature-grants",
        "client-capabilities",
        "downgrade",
        "initialization",
    }
    assert [one["reason"] for one in document["ignored"]] == ["behind the gateway"]


def test_text_is_short(tree: Path) -> None:
    lines = text.audit(scan(Path("my src"))).splitlines()

    assert lines[0] == "my src"
    assert "  server.py:3:16" in lines
    assert lines[-1] == "1 finding in 1 file: 1 low; `avow audit --explain AVW041`"
    assert max(map(len, lines)) < 120


def test_text_does_not_call_an_unknown_tree_clean(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text("print(1 + 1)\n")

    last = text.audit(scan(tmp_path)).splitlines()[-1]

    assert last == "could not tell anything in 1 file"


def test_markdown_tells_findings_and_what_is_accepted(tree: Path) -> None:
    document = markdown.audit(scan(Path("my src")))

    assert "| low | AVW041 |" in document
    assert "Accepted: AVW041" in document
