"""What a tool promises: less is critical, more is safe, the same said otherwise is notation."""

from typing import Any

import pytest

from small_server import READ, tool_drift

LESS = {
    "readOnlyHint": (True, False, None),
    "destructiveHint": (False, True, None),
    "idempotentHint": (True, False, None),
    "openWorldHint": (False, True, None),
}
CASES = [(hint, worse) for hint, (_, *all_worse) in LESS.items() for worse in all_worse]


def _with(annotations: Any) -> dict[str, Any]:
    return {**READ, "annotations": annotations}


def _annotations(hint: str, value: bool | None) -> dict[str, bool]:
    return {} if value is None else {hint: value}


@pytest.mark.parametrize(("hint", "worse"), CASES)
def test_a_promise_broken_is_critical_and_a_promise_made_is_safe(hint: str, worse: bool | None) -> None:
    """To leave a hint out is to say its default, which always promises the least."""
    better = _with({hint: LESS[hint][0], "category": 1})
    other = _with({**_annotations(hint, worse), "category": 1})

    assert tool_drift(other, before=better).severity == "critical"
    assert tool_drift(better, before=other).severity == "safe"


@pytest.mark.parametrize("hint", LESS)
def test_a_default_spelled_out_promises_the_same(hint: str) -> None:
    default = LESS[hint][1]

    drift = tool_drift(_with({hint: default, "category": 1}), before=_with({"category": 1}))

    assert drift.severity == "safe"
    assert drift.summary == f"the same inputs in another notation ({hint} spelled out)"


@pytest.mark.parametrize("value", ["true", 1, None])
def test_a_hint_that_is_not_true_or_false_is_not_understood(value: Any) -> None:
    drift = tool_drift(_with({"readOnlyHint": value}), before=_with({"readOnlyHint": True}))

    assert drift.severity == "critical"
    assert drift.summary == "readOnlyHint is not true or false: what it promises is not understood"


def test_what_was_not_understood_may_become_a_promise() -> None:
    assert tool_drift(_with({"readOnlyHint": True}), before=_with({"readOnlyHint": 1})).severity == "safe"
    assert (
        tool_drift(_with({"readOnlyHint": False}), before=_with({"readOnlyHint": 1})).severity == "critical"
    )


def test_other_annotations_may_matter_to_somebody() -> None:
    drift = tool_drift(_with({"category": 2}), before=_with({"category": 1}))

    assert (drift.severity, drift.summary) == ("moderate", "the annotation 'category' was changed")


def test_a_title_is_wording() -> None:
    drift = tool_drift(_with({"title": "Read it"}), before=_with({"title": "Read"}))

    assert (drift.severity, drift.summary) == ("safe", "small edit to the title in the annotations")


def test_annotations_must_be_an_object() -> None:
    assert tool_drift(_with([])).severity == "critical"


def test_no_annotations_and_empty_ones_promise_the_same() -> None:
    bare = {name: value for name, value in READ.items() if name != "annotations"}

    assert tool_drift(_with({}), before=bare).severity == "safe"
    assert tool_drift(bare, before=_with({})).summary == (
        "the same inputs in another notation (empty annotations)"
    )
