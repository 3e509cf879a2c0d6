"""The variant that applies to a call: the first whose patterns all fit, or the tool as it is."""

import time
from typing import Any

import pytest

from avow.core.variants import Resolver, Variant, matches, select, with_variants
from avow.errors import DeclarationError

READING = Variant({"operation": "read"}, {"readOnlyHint": True}, ("files:read",))
SCRATCH = Variant({"path": "/tmp/*"}, {"destructiveHint": False})
TOOL = with_variants(
    {
        "name": "manage_files",
        "inputSchema": {
            "type": "object",
            "properties": {"operation": {"enum": ["read", "write"]}, "path": {"type": "string"}},
        },
        "annotations": {"title": "Files", "destructiveHint": True},
        "requiredScopes": ["files:all"],
    },
    [READING, SCRATCH],
)


def test_the_first_variant_that_fits_refines_the_tool() -> None:
    resolved = select(TOOL, {"operation": "read", "path": "/tmp/a"})

    assert resolved["annotations"] == {"title": "Files", "destructiveHint": True, "readOnlyHint": True}
    assert resolved["requiredScopes"] == ["files:read"]
    assert resolved["inputSchema"] == TOOL["inputSchema"]
    assert "resolvedVariants" not in resolved


def test_a_variant_that_says_nothing_about_scopes_needs_none() -> None:
    resolved = select(TOOL, {"operation": "write", "path": "/tmp/a"})

    assert resolved["annotations"] == {"title": "Files", "destructiveHint": False}
    assert "requiredScopes" not in resolved


@pytest.mark.parametrize(
    "arguments",
    [{}, None, {"operation": "write"}, {"operation": "write", "path": "/etc/a"}, {"path": "/tmp"}],
)
def test_without_a_variant_that_fits_the_tool_is_as_it_was(arguments: Any) -> None:
    assert select(TOOL, arguments) == TOOL


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "read", "path": 5},
        {"operation": "read", "Operation": "write"},
        {"operation": "read", "path": float("nan")},
        {"operation": "read", "other": float("nan")},
        ["read"],
        "read",
    ],
)
def test_arguments_that_the_tool_does_not_take_get_no_variant(arguments: Any) -> None:
    """They would be selected by one reading and acted on by another."""
    assert select(TOOL, arguments) == TOOL


def test_an_argument_that_is_left_out_is_its_default() -> None:
    schema = {"properties": {"operation": {"type": "string", "default": "read"}, "path": True}}

    tool = {**TOOL, "inputSchema": schema}

    assert Resolver(tool).find({}) == READING
    assert Resolver(tool).find({"operation": "write"}) is None


@pytest.mark.parametrize("schema", [True, {}])
def test_a_schema_that_says_nothing_has_no_defaults(schema: Any) -> None:
    assert Resolver({**TOOL, "inputSchema": schema}).find({}) is None
    assert Resolver({**TOOL, "inputSchema": schema}).find({"operation": "read"}) == READING


@pytest.mark.parametrize(
    "broken",
    [
        {"resolvedVariants": 5},
        {"resolvedVariants": [*TOOL["resolvedVariants"], {"when": {"role": "admin"}}]},
        {"resolvedVariants": [{"when": {"argumentPatterns": {"operation": {"x": 1}}}}, READING.document]},
        {"inputSchema": {"$ref": "https://example.com/"}},
        {"inputSchema": 5},
    ],
)
def test_where_something_cannot_be_read_no_variant_applies(broken: Any) -> None:
    """What cannot be read might have come first."""
    tool = {**TOOL, **broken}

    assert select(tool, {"operation": "read"}) == tool


def test_annotations_that_are_none_are_replaced() -> None:
    tool = {**TOOL, "annotations": "safe"}

    assert select(tool, {"operation": "read"})["annotations"] == {"readOnlyHint": True}


def test_a_variant_without_annotations_adds_none() -> None:
    tool = with_variants({"name": "a", "inputSchema": {"type": "object"}}, [Variant()])

    assert select(tool, {}) == {"name": "a", "inputSchema": {"type": "object"}}


def test_a_single_variant_can_be_asked() -> None:
    assert matches(READING, {"operation": "read", "path": "/"})
    assert not matches(READING, {})
    with pytest.raises(DeclarationError):
        matches(Variant({"a": {"x": 1}}), {"a": 1})


def test_hostile_patterns_do_not_take_long() -> None:
    """As many as there may be, each meant to hang a regular-expression engine, over as much text as fits."""
    hostile = [{"pattern": "(a|a?)+$"}, {"pattern": r"(\w+\s?)*!"}, {"pattern": "(?=(a+)+b)a"}]
    variants = [Variant({f"a{n}": hostile[n % 3]}) for n in range(64)]
    tool = with_variants({"name": "a", "inputSchema": {"type": "object"}}, variants)
    arguments = {f"a{n}": "a" * 4_000 + "?" for n in range(64)}
    started = time.perf_counter()

    Resolver(tool).find(arguments)

    assert time.perf_counter() - started < 5
