"""Real releases of real servers: the drift that their recordings describe, rated as people would rate it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from avow.core.drift.compare import diff
from avow.core.drift.grouping import group_alike
from avow.core.drift.model import Drift
from avow.core.snapshot import Snapshot
from small_server import snapshot

HISTORY = Path(__file__).parents[3] / "data" / "history"
COLLECTIONS = {"tools": "tool", "prompts": "prompt", "resources": "resource", "resourceTemplates": "template"}


def _recording(package: str) -> dict[str, Any]:
    recording: dict[str, Any] = json.loads((HISTORY / f"{package}.json").read_text(encoding="utf-8"))
    return recording


def _release(package: str, version: str) -> Snapshot:
    recording = _recording(package)
    release = recording["releases"][version]
    lists = [[recording["definitions"][i] for i in release.get(kind, [])] for kind in COLLECTIONS]
    answer = release["initialize"]
    return snapshot(
        *lists,
        server=answer["serverInfo"],
        protocol_version=answer["protocolVersion"],
        capabilities=answer["capabilities"],
        instructions=answer.get("instructions"),
    )


def _drift(package: str, before: str, after: str) -> tuple[Drift, ...]:
    return diff(_release(package, before), _release(package, after))


def _severities(drifts: tuple[Drift, ...]) -> dict[str, int]:
    return dict(Counter(str(drift.severity) for drift in drifts))


STEPS = [
    pytest.param(path.stem, step, id=f"{path.stem} {step['from']} to {step['to']}")
    for path in sorted(HISTORY.glob("*.json"))
    for step in _recording(path.stem)["steps"]
]


@pytest.mark.parametrize(("package", "step"), STEPS)
def test_the_drift_is_what_the_summary_describes(package: str, step: dict[str, Any]) -> None:
    """The recordings' own summary was made by other means."""
    drifts = _drift(package, step["from"], step["to"])
    named = {
        (str(drift.type), drift.name)
        for drift in drifts
        if str(drift.type).endswith(("ed", "added", "removed"))
    }

    for collection, kind in COLLECTIONS.items():
        told = step if kind == "tool" else step.get(collection) or {}
        for change in ("added", "removed", "changed"):
            seen = {name for drift_type, name in named if drift_type == f"{kind}_{change}"}
            expected = told.get(change) or []
            if isinstance(expected, str):
                assert f"{len(seen)} items" == expected
            elif package != "chrome-devtools-mcp" or change != "changed":
                assert seen == set(expected)
    types = {str(drift.type) for drift in drifts}
    for member in step.get("initialize", []):
        assert (
            types
            & {
                "serverInfo": {"server_changed"},
                "instructions": {"instructions_changed"},
                "capabilities": {"capabilities_changed"},
                "protocolVersion": {"capabilities_changed", "protocol_downgraded"},
            }[member]
        )


def test_twelve_tools_that_only_became_safer_are_safe() -> None:
    drifts = _drift("server-filesystem", "2026.1.14", "2026.8.31")

    assert _severities(drifts) == {"critical": 1, "moderate": 1, "safe": 12}
    assert (drifts[0].name, drifts[0].severity) == ("move_file", "critical")
    assert drifts[0].summary == (
        "no longer promises not to destroy anything (destructiveHint), and 1 smaller change"
    )
    assert (drifts[1].name, drifts[1].severity) == ("read_media_file", "moderate")
    (group,) = (group for group in group_alike(drifts) if len(group.drifts) > 1)
    assert len(group.drifts) == 12
    assert group.summary == "now promises to stay within a closed world (openWorldHint)"


def test_an_sdk_migration_is_notation() -> None:
    """One new tool; one argument whose items admit what they did not; a few words; the rest is notation."""
    drifts = _drift("chrome-devtools-mcp", "1.8.0", "1.10.1")

    assert {drift.name: drift.summary for drift in drifts if drift.severity == "critical"} == {
        "fill_form": "now admits undeclared members in an item of argument 'elements', and 2 smaller changes",
        "get_css_styles": "a new tool that nobody approved, medium risk",
    }
    assert {drift.name for drift in drifts if drift.severity == "moderate"} == {
        "evaluate_script",
        "get_network_request",
    }
    notation = [group for group in group_alike(drifts) if len(group.drifts) > 1]
    assert [len(group.drifts) for group in notation] == [21, 4]
    assert notation[0].summary == (
        "the same inputs in another notation "
        "($schema dialect, form of additionalProperties, taskSupport left out)"
    )


def test_a_server_built_with_another_sdk_says_the_same() -> None:
    """`mcp-server-git` moved to another release of its SDK: titles that nobody wrote changed."""
    drifts = _drift("mcp-server-git", "2026.7.10", "2026.10.19")

    assert _severities(drifts) == {"moderate": 2, "safe": 11, "info": 1}
    assert {drift.name for drift in drifts if drift.severity == "moderate"} == {"capabilities", "git_add"}


def test_tools_that_came_back_under_another_name_are_recognised() -> None:
    drifts = _drift("server-everything", "2025.12.18", "2026.1.26")
    hints = {drift.name: drift.hint for drift in drifts if drift.type == "tool_added"}

    assert hints["get-tiny-image"] == "looks like 'getTinyImage' renamed"
    assert hints["simulate-research-query"] == ""


def test_no_release_of_an_honest_server_looks_like_an_attack() -> None:
    """Signs of instruction, hidden characters and the like: none in nine packages' histories."""
    summaries = [
        change.summary
        for package in sorted(path.stem for path in HISTORY.glob("*.json"))
        for step in _recording(package)["steps"]
        for drift in _drift(package, step["from"], step["to"])
        for change in drift.changes
    ]

    assert summaries
    assert not [summary for summary in summaries if "shows" in summary]
