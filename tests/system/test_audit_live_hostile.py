"""Live audits of servers that do not want to be looked at: bounded, honest about it, and never a pass."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from audit_live_helpers import audit, found, script
from avow.audit.model import Pattern, Verdict
from avow.core.target import FileTarget, HttpTarget, StdioTarget
from avow.errors import ServerLaunchError, UsageError
from avow.system.connect import ServerExitedError
from negotiating_endpoint import negotiating_over_http

NOTHING = dict.fromkeys(Pattern, Verdict.UNKNOWN)


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("silent", "did not answer initialize"),
        ("deaf", "did not answer initialize"),
        ("flood", "sent more than anybody would read"),
        ("endless", "sent a line of more than 4 MiB"),
        ("garbled", "lines that are no messages"),
        ("refusing", "refuses initialize: come back with a licence (-32001)"),
    ],
)
def test_who_tells_nothing_gets_a_card_of_unknowns(mode: str, words: str) -> None:
    # A busy machine takes a while to read more than anybody would.
    patience = 15.0 if mode == "flood" else 2.0
    began = time.monotonic()
    report = audit(script("faulty", mode), timeout=patience)

    assert time.monotonic() - began < 4 * patience
    assert report.findings == ()
    assert report.scorecard == NOTHING
    assert any(words in note for note in report.notes)


def test_a_flood_takes_no_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    audit(script("faulty", "flood"), timeout=3.0)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_many_questions_are_one_finding() -> None:
    report = audit(script("faulty", "questions"), timeout=3.0)

    (finding,) = (one for one in report.findings if one.rule == "AVW120")
    assert finding.evidence[0]["server"]["method"] == "roots/list"


def test_who_falls_silent_in_every_probe_passes_none(tmp_path: Path) -> None:
    """It was friendly once: what that session showed is known, and nothing else."""
    began = time.monotonic()
    report = audit(script("faulty", "once", str(tmp_path / "marker")), timeout=4.0)

    assert time.monotonic() - began < 10
    assert report.findings == ()
    verdicts = set(report.scorecard.items())
    assert (Pattern.MINIMAL_DECLARATION, Verdict.PASS) in verdicts
    unknown = {Pattern.FEATURE_GRANTS, Pattern.DOWNGRADE, Pattern.INITIALIZATION, Pattern.CLIENT_CAPABILITIES}
    assert {pattern for pattern, verdict in verdicts if verdict is Verdict.UNKNOWN} == unknown
    assert any("could not tell" in note for note in report.notes)


def test_lists_that_are_never_answered_are_not_minimal() -> None:
    report = audit(script("faulty", "listless"), timeout=5.0)

    assert report.scorecard[Pattern.MINIMAL_DECLARATION] is Verdict.UNKNOWN
    assert report.scorecard[Pattern.FEATURE_GRANTS] is Verdict.UNKNOWN


def test_who_stays_after_the_end_is_ended() -> None:
    began = time.monotonic()
    report = audit(script("faulty", "stays"))

    assert time.monotonic() - began < 15
    assert "AVW140" in found(report)


def test_who_wants_to_be_alone_is_asked_again_alone(tmp_path: Path) -> None:
    report = audit(script("faulty", "lock", str(tmp_path / "lock")))

    assert {"AVW140", "AVW141", "AVW143"} <= found(report)
    assert report.notes == ()


def test_who_does_not_start_is_an_error_with_its_own_words() -> None:
    with pytest.raises(ServerExitedError, match="no API key"):
        audit(script("faulty", "leaves"))
    with pytest.raises(ServerLaunchError, match="no-such-program"):
        audit(StdioTarget("no-such-program"))
    with pytest.raises(ServerLaunchError, match="cannot connect"):
        audit(HttpTarget("http://127.0.0.1:9/mcp"))


def test_a_file_cannot_be_probed() -> None:
    with pytest.raises(UsageError, match="a snapshot cannot be probed"):
        audit(FileTarget("snapshot.json"))


def test_who_wants_credentials_is_looked_at_with_them() -> None:
    with negotiating_over_http("token") as url:
        refused = audit(HttpTarget(url))
        allowed = audit(HttpTarget(url), headers={"Authorization": "Bearer good-token"})

    assert refused.scorecard == NOTHING
    assert any("401" in note and "-H 'Authorization: Bearer" in note for note in refused.notes)
    assert allowed.findings == ()
    assert allowed.scorecard[Pattern.INITIALIZATION] is Verdict.PASS


def test_a_proof_holds_no_secret() -> None:
    """The server writes a token of its environment into a list, which is part of a proof."""
    report = audit(
        script("negotiating", "leak", "early", "legacy"), environment={"NEGOTIATING_TOKEN": "hunter2-hunter2"}
    )

    (finding,) = report.findings
    assert "hunter2" not in json.dumps(finding.evidence)
    assert "Uses [NEGOTIATING_TOKEN]." in json.dumps(finding.evidence)


def test_the_command_ends_with_the_code_of_its_findings() -> None:
    """0 where nothing is wrong, 1 with findings, 2 where the server does not start; one document each."""
    results = {}
    for name, arguments in (("good", ["negotiating", "both"]), ("bad", ["negotiating", "early"])):
        results[name] = _command(*arguments)
    code, document = _command("faulty", "leaves")

    assert results["good"][0] == 0
    assert results["good"][1]["findings"] == []
    assert results["bad"][0] == 1
    assert [finding["rule"] for finding in results["bad"][1]["findings"]] == ["AVW140"]
    assert code == 2
    assert "no API key" in document["error"]["message"]


def _command(name: str, *arguments: str) -> tuple[int, Any]:
    server = script(name, *arguments)
    command = [sys.executable, "-m", "avow", "audit", "--format", "json", "--", server.command, *server.args]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    return done.returncode, json.loads(done.stdout)


def test_a_first_look_that_takes_all_the_time_is_a_report_of_unknowns() -> None:
    """There is no time left for the other era: that is said, and what was seen still counts."""
    report = audit(script("faulty", "questions"), timeout=1.0)

    assert "pass" not in {
        str(report.scorecard[pattern]) for pattern in (Pattern.DOWNGRADE, Pattern.INITIALIZATION)
    }
    assert any(note.startswith("could not tell") for note in report.notes)
