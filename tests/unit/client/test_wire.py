"""What the gate reads is what the SDK's session goes by, or something that nobody accepts."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.client.wire import error_line, notification_line, read_line, request_line, result_line
from avow.errors import MalformedInputError
from avow.protocol.messages import read, strict

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_an_answer_reads_back_as_itself_or_is_refused(result: dict[str, Any]) -> None:
    message = read(result_line(7, result))
    try:
        assert strict(message.body) == result
    except MalformedInputError:
        assert "NaN" in json.dumps(result) or "Infinity" in json.dumps(result)
    assert message.id == 7


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), "\ud800"])
def test_what_json_does_not_have_is_refused(value: Any) -> None:
    for line in (result_line(1, {"x": [value]}), error_line(1, -1, "no", {"x": value})):
        with pytest.raises(MalformedInputError):
            strict(read(line).body)


def test_so_is_what_nobody_can_write_down() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(MalformedInputError):
        strict(read(result_line(1, {"x": deep})).body)


def test_messages_are_what_json_rpc_says() -> None:
    assert read_line(request_line(1, "ping", None)) == {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert read_line(request_line("a", "x/y", {"z": None}))["params"] == {"z": None}
    assert read_line(notification_line("x/y", None)) == {"jsonrpc": "2.0", "method": "x/y"}
    assert read_line(notification_line("x/y", {"z": 1}))["params"] == {"z": 1}
    assert read_line(error_line(1, -5, "no", None))["error"] == {"code": -5, "message": "no"}


def test_an_answer_that_nobody_judges_need_not_be_exact() -> None:
    assert read_line(result_line(1, {"x": float("nan")}, exactly=False))["result"] == {"x": None}
