"""Variants on the wire: what is read, what is written, and what is refused."""

from typing import Any

import pytest

from avow.core.variants import Variant, read_variants, with_variants
from avow.core.variants.model import MAX_BYTES, MAX_PATTERNS, MAX_REGEXES, MAX_SCOPES, MAX_VARIANTS
from avow.errors import DeclarationError

READ = {
    "when": {"argumentPatterns": {"operation": "read"}},
    "annotations": {"readOnlyHint": True},
    "requiredScopes": ["files:read"],
}


def test_a_variant_is_read_and_written_as_it_travels() -> None:
    variant = Variant.read(READ)

    assert variant == Variant({"operation": "read"}, {"readOnlyHint": True}, ("files:read",))
    assert variant.document == READ


def test_what_a_variant_does_not_say_is_not_written() -> None:
    assert Variant.read({"when": {}}).document == {"when": {}}
    assert Variant.read({"when": {}, "requiredScopes": []}).document == {"when": {}, "requiredScopes": []}


def test_a_tool_carries_its_variants() -> None:
    tool = with_variants({"name": "files"}, [Variant.read(READ)])

    assert tool == {"name": "files", "resolvedVariants": [READ]}
    assert read_variants(tool) == (Variant.read(READ),)
    assert read_variants({"name": "files"}) == ()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("read", "is not an object"),
        ({}, "has no 'when'"),
        ({"when": []}, "has no 'when'"),
        ({"when": {"user": "admin"}}, "has a condition in 'when'"),
        ({"when": {"argumentPatterns": []}}, "'argumentPatterns' that are not an object"),
        ({"when": {}, "annotations": []}, "annotations that are not an object"),
        ({"when": {}, "annotations": {"readOnlyHint": 1}}, "a readOnlyHint that is not true or false"),
        ({"when": {}, "requiredScopes": "files:read"}, "are not a list of texts"),
        ({"when": {}, "requiredScopes": [1]}, "are not a list of texts"),
        ({"when": {}, "requiredScopes": ["files read"]}, "OAuth does not know"),
        ({"when": {}, "requiredScopes": [""]}, "OAuth does not know"),
        ({"when": {}, "requiredScopes": ["\x1b[31m"]}, "OAuth does not know"),
        ({"when": {}, "requiredScopes": ["a"] * (MAX_SCOPES + 1)}, "OAuth does not know"),
    ],
)
def test_a_variant_that_is_none_is_refused_by_its_number(value: Any, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        read_variants({"resolvedVariants": [READ, value]})

    assert caught.value.message.startswith("variant 2 ")
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ({}, "is not a list"),
        ([{"when": {}}] * (MAX_VARIANTS + 1), "more than"),
        ([{"when": {"argumentPatterns": {"a": "x" * MAX_BYTES}}}], "larger than"),
        ([{"when": {"argumentPatterns": {f"a{n}": 1 for n in range(MAX_PATTERNS + 1)}}}], "patterns"),
        ([{"when": {"argumentPatterns": {"a": [{"pattern": ""}] * (MAX_REGEXES + 1)}}}], "regular"),
        (
            [
                {
                    "when": {
                        "argumentPatterns": {
                            "a": {"patternProperties": {f"{n}": True for n in range(MAX_REGEXES + 1)}}
                        }
                    }
                }
            ],
            "regular",
        ),
        ([{"when": {"argumentPatterns": {"a": float("nan")}}}], "cannot be read"),
    ],
)
def test_more_than_anybody_needs_is_refused(variants: Any, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        read_variants({"resolvedVariants": variants})
