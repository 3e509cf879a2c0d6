"""Go's way of writing JSON, to the byte: every expectation is Go's documented output for that value."""

import pytest

from avow.core.canonical import JsonValue
from avow.core.mcptrust.go_json import canonical_v1, canonical_v2, go_text, is_exact


@pytest.mark.parametrize(
    ("value", "v1", "v2"),
    [
        pytest.param(1, "1", "1", id="integer"),
        pytest.param(10.0, "10", "10", id="integer written as a fraction"),
        pytest.param(-0.0, "-0", "0", id="negative zero"),
        pytest.param(0.1, "0.1", "0.1", id="fraction"),
        pytest.param(1e-6, "0.000001", "1e-06", id="small"),
        pytest.param(1e-7, "1e-7", "1e-07", id="smaller"),
        pytest.param(1.5e-10, "1.5e-10", "1.5e-10", id="two digits of exponent"),
        pytest.param(123456.5, "123456.5", "123456.5", id="six digits"),
        pytest.param(1234567.5, "1234567.5", "1.2345675e+06", id="seven digits"),
        pytest.param(1e20, "100000000000000000000", "1e+20", id="large"),
        pytest.param(-1e21, "-1e+21", "-1e+21", id="larger"),
        pytest.param(2**53 + 1, "9007199254740992", "9.007199254740992e+15", id="beyond a double"),
        pytest.param(True, "true", "true", id="true"),
        pytest.param(None, "null", "null", id="null"),
        pytest.param([], "[]", "[]", id="empty list"),
        pytest.param({"b": {}, "a": [1, "x"]}, '{"a":[1,"x"],"b":{}}', '{"a":[1,"x"],"b":{}}', id="object"),
        pytest.param("<a & b>", '"\\u003ca \\u0026 b\\u003e"', '"<a & b>"', id="HTML"),
        pytest.param("\u2028\u2029", '"\\u2028\\u2029"', '"\u2028\u2029"', id="line separators"),
        pytest.param(
            '"\\\b\f\n\r\t\x01\x7f',
            '"\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7f"',
            '"\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7f"',
            id="escapes",
        ),
        pytest.param({"<": 1}, '{"\\u003c":1}', '{"<":1}', id="HTML in a key"),
        pytest.param(
            {"\ufb33": 1, "\U0001f600": 2},
            '{"\ufb33":1,"\U0001f600":2}',
            '{"\U0001f600":2,"\ufb33":1}',
            id="key order",
        ),
    ],
)
def test_a_value_is_written_as_go_does(value: JsonValue, v1: str, v2: str) -> None:
    assert canonical_v1(value).decode() == v1
    assert canonical_v2(value).decode() == v2


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ({"a": [1, 2.5, True, None, "text"]}, True),
        ({"a": [2**53 - 1, -(2**53) + 1]}, True),
        ({"a": [2**53]}, False),
        ([{"b": "broken \ufffd"}], False),
        ({"\ufffd": 1}, False),
    ],
)
def test_values_that_fall_together_in_a_double_are_known(value: JsonValue, exact: bool) -> None:
    assert is_exact(value) is exact


def test_a_file_keeps_the_order_of_its_members() -> None:
    assert go_text({"b": "<", "a": {}, "c": []}) == '{\n  "b": "\\u003c",\n  "a": {},\n  "c": []\n}'
