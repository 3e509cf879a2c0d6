"""The five patterns as they were first written down: vulnerable snippets are found, secure ones pass."""

from pathlib import Path

import pytest

from audit_expectations import expected, found_by
from avow.audit.model import Pattern, Verdict
from avow.audit.scan import scan

SEED = Path(__file__).parents[2] / "audit_cases" / "seed"


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("vulnerable_1_minimal_declaration.ts", ("AVW001", "AVW002", "AVW003", "AVW004")),
        ("vulnerable_2_feature_flags.ts", ("AVW010",)),
    ],
)
def test_a_vulnerable_snippet_is_found(name: str, rules: tuple[str, ...]) -> None:
    for rule in rules:
        wanted = expected(SEED / name, rule)
        assert wanted
        assert found_by(SEED / name, rule) == wanted


def test_the_vulnerable_snippets_fail_their_pattern() -> None:
    declaration = scan(SEED / "vulnerable_1_minimal_declaration.ts").scorecard
    flags = scan(SEED / "vulnerable_2_feature_flags.ts").scorecard

    assert declaration[Pattern.MINIMAL_DECLARATION] is Verdict.FAIL
    assert flags[Pattern.FEATURE_GRANTS] is Verdict.FAIL


@pytest.mark.parametrize("path", sorted(SEED.glob("secure_*")), ids=lambda path: path.stem)
def test_a_secure_snippet_passes(path: Path) -> None:
    """What is left is the remark that an SDK serves early, where the snippet leaves the handshake to it."""
    report = scan(path)

    assert {finding.rule for finding in report.findings} <= {"AVW041"}
    assert Verdict.FAIL not in report.scorecard.values()


def test_the_secure_snippets_as_one_server_pass_without_a_remark(tmp_path: Path) -> None:
    for path in SEED.glob("secure_*"):
        (tmp_path / path.name).write_text(path.read_text())

    report = scan(tmp_path)

    assert report.findings == ()
    assert set(report.scorecard.values()) == {Verdict.PASS}
