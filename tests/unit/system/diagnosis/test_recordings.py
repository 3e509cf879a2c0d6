"""What real servers said when they were started with nothing, and what that tells."""

import json
from pathlib import Path
from typing import Any

import pytest

from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome

DATA = Path(__file__).parents[3] / "data" / "server-failures.json"
RECORDED: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded["stderr"].strip()[-40:])
def test_a_failure_names_its_cause_and_what_is_missing(recorded: dict[str, Any]) -> None:
    """Cause and names come from the output alone; what it does not name is not made up."""
    evidence = Evidence(
        Outcome(recorded["outcome"]),
        exit_code=recorded["exit_code"],
        stderr=recorded["stderr"],
        messages=tuple(recorded["messages"]),
    )

    found = diagnose(evidence, "demo")

    assert found.status == recorded["status"]
    assert [one.binding.name for one in found.required] == recorded["required"]
