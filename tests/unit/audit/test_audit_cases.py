"""Every static rule on code as people write it: bad cases are found on the marked line, good ones pass."""

from pathlib import Path

import pytest

from audit_expectations import expected, found_by
from avow.audit.rules import ALL

CASES = Path(__file__).parents[2] / "audit_cases"
RULES = [rule.info.id for rule in ALL]


def cases(kind: str) -> list[object]:
    found = [path for rule in RULES for path in sorted((CASES / rule).glob(f"{kind}_*"))]
    return [pytest.param(path, id=f"{path.parent.name}-{path.name}") for path in found]


@pytest.mark.parametrize("case", cases("bad"))
def test_a_bad_case_is_found_on_its_line(case: Path) -> None:
    rule = case.parent.name
    wanted = expected(case, rule)

    assert wanted, "a bad case marks a line"
    assert found_by(case, rule) == wanted


@pytest.mark.parametrize("case", cases("good"))
def test_a_good_case_passes(case: Path) -> None:
    assert found_by(case, case.parent.name) == set()


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_four_cases_of_each_kind_in_both_languages(rule: str) -> None:
    for kind in ("bad", "good"):
        found = list((CASES / rule).glob(f"{kind}_*"))
        assert len(found) >= 4, f"{rule} has {len(found)} {kind} cases"
        assert {path.suffix for path in found if path.is_file()} >= {".py", ".ts"}
