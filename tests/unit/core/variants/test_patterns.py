"""Argument patterns: literals, globs and schemas, told apart by their JSON type, and bounded in time."""

import time
from typing import Any

import pytest

from avow.core.canonical import canonical
from avow.core.variants.patterns import MAX_GLOB, MAX_VALUE, Fragment, Glob, Literal, read_pattern
from avow.errors import DeclarationError


def fits(pattern: Any, value: Any) -> bool:
    return read_pattern(pattern).fits(value, canonical(value))


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        (True, True, 1),
        (1, 1.0, True),
        (None, None, False),
        ("read", "read", "Read"),
        ("", "", "x"),
        (["a", 1], ["a", 1], [1, "a"]),
        ({"const": {"b": 1, "a": 2}}, {"a": 2, "b": 1}, {"a": 2}),
        ({"const": "a*"}, "a*", "ab"),
    ],
)
def test_a_literal_is_compared_by_its_canonical_json(pattern: Any, fitting: Any, other: Any) -> None:
    assert isinstance(read_pattern(pattern), Literal)
    assert fits(pattern, fitting)
    assert not fits(pattern, other)


@pytest.mark.parametrize(
    ("glob", "fitting", "others"),
    [
        ("*", ["", "anything/at\nall"], [1, None, ["*"]]),
        ("/tmp/*", ["/tmp/", "/tmp/a/b"], ["/tmp", "x/tmp/a", "/TMP/a"]),
        ("*.t?t", [".txt", "a.b.tat"], ["a.tt", "a.txt.", ".t"]),
        ("a*b*c", ["abc", "axxbxbc"], ["acb", "abcd", "xabc"]),
        ("??", ["ab", "😀é"], ["a", "abc", ""]),
        ("[a-z]*", ["[a-z]", "[a-z]x"], ["abc"]),
    ],
)
def test_a_glob_has_two_wildcards_and_fits_the_whole_text(glob: str, fitting: Any, others: Any) -> None:
    assert isinstance(read_pattern(glob), Glob)
    assert all(fits(glob, value) for value in fitting)
    assert not any(fits(glob, value) for value in others)


def test_an_object_is_a_schema() -> None:
    pattern = {"type": "integer", "maximum": 10, "description": "few"}

    assert isinstance(read_pattern(pattern), Fragment)
    assert fits(pattern, 10)
    assert not fits(pattern, 11)
    assert not fits(pattern, "10")
    assert fits({}, "anything")


@pytest.mark.parametrize(
    "pattern",
    [
        {"operation": "read"},
        {"properties": {"a": {"unheard": 1}}},
        {"$ref": "#/properties/value"},
        {"anyOf": [{"$dynamicRef": "#"}]},
        {"$id": "https://example.com/"},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"nullable": True},
        {"type": "no such type"},
        {"pattern": "("},
        {"pattern": r"(?:\p{L}{1,100}){1,100}"},
        {"not": {"not": {"not": {"enum": 5}}}},
        "*" * (MAX_GLOB + 1),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: Any) -> None:
    with pytest.raises(DeclarationError):
        read_pattern(pattern)


def test_a_schema_too_deep_is_refused() -> None:
    pattern: Any = {}
    for _ in range(60):
        pattern = {"not": pattern}

    with pytest.raises(DeclarationError, match="too deep"):
        read_pattern(pattern)


def test_the_refusal_says_how_to_write_a_literal_object() -> None:
    with pytest.raises(DeclarationError, match=r'keyword \'mode\'.*{"const": …}'):
        read_pattern({"mode": "fast"})


@pytest.mark.parametrize("pattern", ["*", {"type": "string"}])
def test_a_value_too_large_to_be_matched_fits_nothing_but_itself(pattern: Any) -> None:
    large = "x" * MAX_VALUE

    assert not fits(pattern, large)
    assert fits(pattern, "x" * (MAX_VALUE - 2))
    assert fits({"const": large}, large)


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 128,
        "?*" * 128,
        {"pattern": "(a+)+$"},
        {"pattern": "(a|aa)+(?=b)"},
        {"pattern": "(?:(?:a*)*)*b"},
    ],
)
def test_no_pattern_takes_long(pattern: Any) -> None:
    """Each of these makes a backtracking engine try every way to split the text."""
    started = time.perf_counter()

    assert not fits(pattern, "a" * (MAX_VALUE - 3) + "!") or pattern[0] == "?"

    assert time.perf_counter() - started < 1
