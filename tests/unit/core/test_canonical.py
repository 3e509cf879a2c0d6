"""Canonical bytes and digests: the vectors of RFC 8785, and what JSON cannot say."""

import hashlib
import json
import struct
from collections import OrderedDict
from decimal import Decimal
from enum import IntEnum, StrEnum
from pathlib import Path

import pytest
import rfc8785

from avow.core import canonical as module
from avow.core.canonical import JsonValue, canonical, digest, digest_of, parse_json
from avow.errors import MalformedInputError

VECTORS = Path(__file__).parents[2] / "vectors" / "canonical"
DOCUMENTS = json.loads((VECTORS / "documents.json").read_text(encoding="utf-8"))["documents"]
NUMBERS = json.loads((VECTORS / "numbers.json").read_text(encoding="utf-8"))["numbers"]


class Weekday(IntEnum):
    MONDAY = 1


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize("vector", DOCUMENTS, ids=lambda vector: str(vector["name"]))
def test_the_documents_of_the_rfc(vector: dict[str, str]) -> None:
    """Input as published, expected bytes as published."""
    assert canonical(parse_json(vector["input"])).hex() == vector["expected_hex"]


@pytest.mark.parametrize("vector", NUMBERS, ids=lambda vector: str(vector["double_hex"]))
def test_the_numbers_of_the_rfc(vector: dict[str, str | None]) -> None:
    """Appendix B, bit by bit."""
    (number,) = struct.unpack(">d", bytes.fromhex(str(vector["double_hex"])))

    if vector["expected"] is None:
        with pytest.raises(MalformedInputError):
            canonical(number)
    else:
        assert canonical(number).decode() == vector["expected"]


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("10.0", "10"),
        ("1e1", "10"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e-7", "1e-7"),
        ("1e-400", "0"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740993", "9007199254740993"),
        ("-9007199254740993", "-9007199254740993"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1e21", "1e+21"),
        ("1000000000000000000000", "1000000000000000000000"),
    ],
)
def test_numbers_as_they_are_written(spelled: str, expected: str) -> None:
    """A double has ECMAScript's notation; a whole number written with digits keeps every digit."""
    assert canonical(parse_json(spelled)).decode() == expected


def test_keys_are_in_the_order_of_utf_16() -> None:
    """U+1F600 comes before U+FB33, since its first half is U+D83D."""
    value = {"\ufb33": 1, "\U0001f600": {"\uffff": 2, "\U0010ffff": [3.5, {"b": 1, "a": 2}]}}

    assert canonical(value).decode() == '{"😀":{"\U0010ffff":[3.5,{"a":2,"b":1}],"\uffff":2},"\ufb33":1}'


def test_an_emoji_in_a_value_does_not_disturb_the_order() -> None:
    """Only keys are sorted."""
    value: JsonValue = {"ü": "😀", "b": ["😀", {"z": 1, "a": "x"}], "n": None}

    assert canonical(value) == rfc8785.dumps(value)


def test_a_very_large_object_is_sorted_too() -> None:
    """More members than the shortcut takes, in an order that looks random."""
    value = {f"tool_{number * 7919 % 5003}": [number, 0.5] for number in range(5003)}

    assert canonical(value) == rfc8785.dumps(value)


def test_a_large_object_reaches_the_encoder_in_order() -> None:
    """Its quicksort takes time by the square on an order that was made for that."""
    value = {str(number): number for number in range(1_001)}

    assert not module._is_ordinary((value,))
    assert list(module._written_out({"a": [value]})["a"][0]) == sorted(value)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        [float("nan")],
        "\ud800",
        {"a": ["\udfff"]},
        {"\ud800": 1},
        {"\ud800": 0.5, "\U0001f600": 1},
        {1: 2},
        {None: 1},
        {1: 0.5},
        {True: "x", "y": 1},
        (1, 2),
        {1, 2},
        b"bytes",
        Decimal(1),
        Weekday.MONDAY,
        Colour.RED,
        [OrderedDict(a=1)],
        1j,
        object(),
        10**5000,
        [0.5, 10**5000],
    ],
    ids=lambda value: ascii(type(value).__name__),
)
def test_what_json_cannot_say_has_no_bytes(value: JsonValue) -> None:
    """Refused, rather than written as something that it resembles."""
    with pytest.raises(MalformedInputError):
        canonical(value)


@pytest.mark.parametrize("leaf", [1, 0.5])
def test_endless_nesting_is_an_error_of_ours(leaf: JsonValue) -> None:
    """Neither a crash nor a RecursionError."""
    value = leaf
    for _ in range(100_000):
        value = [value]

    with pytest.raises(MalformedInputError, match="inside each other"):
        canonical(value)


def test_true_is_not_one() -> None:
    """Though Python says that they are equal."""
    assert canonical([True, False, None]) == b"[true,false,null]"
    assert digest(True) != digest(1)


def test_a_digest_is_sha_256_in_lowercase() -> None:
    """Over the canonical bytes, with the name of the algorithm in front."""
    expected = hashlib.sha256(b'{"a":10,"b":"x"}').hexdigest()

    assert digest({"b": "x", "a": 10.0}) == "sha256:" + expected
    assert digest_of(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
