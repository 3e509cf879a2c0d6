"""Strict reading: what is refused, how it is said, and what a careless reader would have seen."""

import json
import math
from pathlib import Path

import pytest

from avow.core.canonical import MAX_DEPTH, MAX_FILE_DEPTH, parse_json, parse_leniently
from avow.errors import MalformedInputError

VECTORS = Path(__file__).parents[2] / "vectors" / "canonical"
REFUSED = json.loads((VECTORS / "refused.json").read_text(encoding="utf-8"))["documents"]


@pytest.mark.parametrize("vector", REFUSED, ids=lambda vector: str(vector["name"]))
def test_what_two_readers_could_read_differently_is_refused(vector: dict[str, str]) -> None:
    """One error for all of it, short enough for a terminal."""
    with pytest.raises(MalformedInputError) as caught:
        parse_json(bytes.fromhex(vector["hex"]))

    assert 0 < len(caught.value.message) < 150
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (b'{"a": 1, "b": 2, "b": 3, "c": 4}', "the key 'b' appears twice in one object"),
        (b'{"\\u202e": 1, "\\u202e": 2}', "the key '\\u202e' appears twice in one object"),
        (b'{"a":\n  x}', "not JSON: Expecting value at line 2 column 3"),
        (b'"a\x01"', "not JSON: Invalid control character at line 1 column 3"),
        (b'["\xff"]', "not UTF-8: invalid start byte at byte 2"),
        (b'["\\uDEAD"]', "a lone surrogate: \\udead"),
        ('["\ud800"]', "a lone surrogate at character 2"),
        (b"\xef\xbb\xbf{}", "not JSON: it starts with a byte order mark"),
        (b"[-Infinity]", "not JSON: -Infinity is not a number"),
        (
            b"[%d]" % 2**1024,
            "the number 179769313486231590772930519078902473361797697894230657273... is beyond the range "
            "of a double",
        ),
        (b"[1e400]", "the number 1e400 is beyond the range of a double"),
        (b"[[[]]]" * 2, "not JSON: Extra data at line 1 column 7"),
    ],
)
def test_the_error_says_what_and_where(document: bytes | str, message: str) -> None:
    """A position or the key, whichever helps to find it."""
    with pytest.raises(MalformedInputError) as caught:
        parse_json(document)

    assert caught.value.message == message


@pytest.mark.parametrize("document", [b'{"%b": 1, "%b": 2}' % (b"k" * 10**6, b"k" * 10**6), b"9" * 10**6])
def test_a_huge_text_is_not_echoed(document: bytes) -> None:
    """The error has its beginning, and the conversion of a million digits is not even tried."""
    with pytest.raises(MalformedInputError) as caught:
        parse_json(document)

    assert len(caught.value.message) < 150


@pytest.mark.parametrize(
    ("document", "value"),
    [
        (b' {"b": [1, 2.5, true, null, "x"], "a": {}} \r\n\t', {"b": [1, 2.5, True, None, "x"], "a": {}}),
        ('"ü😀"', "ü😀"),
        (b'"\\ud83d\\ude00 \\uD83D\\uDE00"', "😀 😀"),
        (b'"\\\\ud800"', "\\ud800"),
        (b"1" + b"0" * 308, 10**308),
        (b"%d" % (2**1024 - 2**971), 2**1024 - 2**971),
        (b"-" + b"1" + b"0" * 308, -(10**308)),
        (b"1e308", 1e308),
    ],
)
def test_json_is_read(document: bytes | str, value: object) -> None:
    """Bytes or text; integers stay exact however large."""
    assert parse_json(document) == value
    assert type(parse_json(document)) is type(value)


def test_the_order_of_members_is_kept() -> None:
    """It means nothing, but people recognise their own documents."""
    assert list(parse_json(b'{"z": 1, "a": 2, "m": 3}')) == ["z", "a", "m"]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_ends_at_a_fixed_depth(opening: str, closing: str) -> None:
    """The same on every machine, wherever the call comes from."""

    def nested(depth: int) -> str:
        return opening * depth + "1" + closing * depth

    parse_json(nested(MAX_DEPTH))
    parse_json(nested(MAX_FILE_DEPTH), max_depth=MAX_FILE_DEPTH)
    assert parse_leniently(nested(MAX_DEPTH)) is not None
    for depth in (MAX_DEPTH + 1, 500, 100_000):
        with pytest.raises(MalformedInputError, match="more than 128 arrays and objects inside each other"):
            parse_json(nested(depth))
        assert parse_leniently(nested(depth)) is None


def test_many_brackets_side_by_side_are_not_deep() -> None:
    """Width is not depth."""
    value = [[{}] * 100, {"a": [[]] * 100}]

    assert parse_json(json.dumps(value)) == value


def test_a_hundred_thousand_open_brackets_are_refused() -> None:
    """Without their ends they are not even JSON."""
    with pytest.raises(MalformedInputError):
        parse_json(b"[" * 100_000)


@pytest.mark.parametrize(
    ("document", "seen"),
    [
        (b'{"id": 1, "id": 2}', {"id": 2}),
        (b'{"id": 7, "x": "\xff"}', {"id": 7, "x": "\ufffd"}),
        (b'{"id": 7, "x": "\\ud800"}', {"id": 7, "x": "\ud800"}),
        (b'\xef\xbb\xbf{"id": 7}', {"id": 7}),
        ('{"id": 7, "x": "a\nb"}', {"id": 7, "x": "a\nb"}),
        (b'{"id": 7, "x": 1e400}', {"id": 7, "x": math.inf}),
        (b'{"id": 7, "x": ' + b"9" * 5000 + b"}", {"id": 7, "x": math.inf}),
        (b"hello", None),
        (b'{"id": 7} trailing', None),
    ],
)
def test_a_careless_reader_sees_something(document: bytes | str, seen: object) -> None:
    """Enough to tell which request a refused answer belongs to."""
    with pytest.raises(MalformedInputError):
        parse_json(document)

    assert parse_leniently(document) == seen
