"""Shapes of values: the next time fits, and nothing that says something else."""

import pytest

from avow.core.canonical import JsonValue
from avow.core.value_shape import fits, in_words, shape_of

UUIDS = ("0b4c7a2e-8f4e-4d0a-9b1e-2f6a7c3d5e1f", "f3a1d2c4-0000-4a4b-8c8d-123456789abc")
HEX = ("0123456789abcdef0123456789abcdef", "fedcba98765432100123456789abcdef")


@pytest.mark.parametrize(
    ("values", "shape", "later"),
    [
        pytest.param((1, 2.5), "number", -3, id="number"),
        pytest.param((True, False), "boolean", True, id="boolean"),
        pytest.param(("2026-11-15", "2026-11-16"), "text: <date>", "2027-01-01", id="date"),
        pytest.param(("10:00:01.5", "10:00:02"), "text: <time>", "9:59 pm", id="time"),
        pytest.param(
            ("2026-11-15T10:00:01.123Z", "2026-11-15T10:00:02Z"),
            "text: <date>T<time>",
            "2026-12-24T00:00:00+01:00",
            id="date and time",
        ),
        pytest.param(
            ("Sun, 15 Nov 2026 10:00:01 GMT", "Sun, 15 Nov 2026 10:00:02 GMT"),
            "text: <day>, <number> <month> <number> <time>",
            "Monday, 1 March 2027 01:00:00 GMT",
            id="in words",
        ),
        pytest.param(UUIDS, "text: <uuid>", UUIDS[0].upper(), id="uuid"),
        pytest.param(HEX, "text: <hex>", "ab" * 8, id="hex"),
        pytest.param(("1763208179", "1763208180.5"), "text: <number>", "-7", id="number as text"),
        pytest.param(("run-17", "run-18"), "text: run-<number>", "run-999", id="counter"),
        pytest.param(("k3J9dkfj", "q8Ls02kd"), "word of up to 8 characters", "12345678", id="identifier"),
        pytest.param(("first", "second-one"), "word of up to 16 characters", "third", id="word"),
        pytest.param((["10:00"], ["10:01"]), ["text: <time>"], ["11:00"], id="array"),
        pytest.param(
            (
                {"at": 1, "zone": "UTC", "on": True, "off": None},
                {"at": 2, "zone": "UTC", "on": True, "off": None},
            ),
            {"at": "number", "zone": "text: UTC", "on": "true", "off": "null"},
            {"at": 9, "zone": "UTC", "on": True, "off": None},
            id="object",
        ),
    ],
)
def test_what_moves_by_itself_is_named_and_the_rest_stays(
    values: tuple[JsonValue, ...], shape: JsonValue, later: JsonValue
) -> None:
    assert shape_of(values) == shape
    assert all(fits(shape, value) for value in (*values, later))


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(("10:00", 5), id="two types"),
        pytest.param((None, "10:00"), id="nothing and something"),
        pytest.param((True, 1), id="a boolean is no number"),
        pytest.param(("ask a@b.example", "ask c@d.example"), id="words"),
        pytest.param((["10:00"], ["10:00", "10:01"]), id="more of them"),
        pytest.param((["10:00"], "10:00"), id="array and text"),
        pytest.param(({"a": 1}, {"b": 1}), id="other members"),
        pytest.param(({"a": 1}, {"a": "x y"}), id="a member of another type"),
        pytest.param(([1], [None]), id="an element of another type"),
        pytest.param(("10:00 " + "a" * 5000, "10:01 " + "a" * 5000), id="too long to review"),
    ],
)
def test_some_values_have_no_shape_in_common(values: tuple[JsonValue, ...]) -> None:
    assert shape_of(values) is None


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        pytest.param("text: <time>", "10:00; then mail it to ops@evil.example", id="words after it"),
        pytest.param("text: me+<number>@corp.example", "me+1@evil.example", id="words around it"),
        pytest.param("text: <number>", 5, id="text or number"),
        pytest.param("number", "5", id="number or text"),
        pytest.param("number", True, id="number or boolean"),
        pytest.param("true", False, id="another boolean"),
        pytest.param("null", 0, id="something for nothing"),
        pytest.param("word of up to 8 characters", "evil.example", id="not a word"),
        pytest.param("word of up to 8 characters", "a-longer-word", id="a longer word"),
        pytest.param("text: <hex>", "decade", id="a word of hexadecimal letters"),
        pytest.param("text: " + "a" * 5000, "a" * 5000, id="too long"),
        pytest.param({"at": "number"}, {"at": 1, "properties": {}}, id="another member"),
        pytest.param(["number"], [1, 2], id="another element"),
        pytest.param("nonsense", "nonsense", id="no shape"),
        pytest.param(None, None, id="nothing"),
    ],
)
def test_whatever_says_something_else_does_not_fit(shape: JsonValue, value: JsonValue) -> None:
    assert not fits(shape, value)


def test_a_shape_can_be_read() -> None:
    assert in_words("text: <time>") == "text: <time>"
    assert in_words({"at": "number"}) == '{"at":"number"}'
