"""What of a capability can be searched."""

from typing import Any

import pytest

from avow.core.capability import Capability, Kind
from avow.registry.indexing import (
    MAX_ARGUMENTS,
    annotations_of,
    arguments_of,
    capability_words,
    description_of,
    server_words,
    title_of,
)
from registry_samples import FILES, READ, snapshot


def of_tool(**members: Any) -> Capability:
    return Capability.read(Kind.TOOL, {"name": "x", **members})


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/some"}]}, {"integer", "array"}),
        ({"$ref": "#/$defs/some"}, {"array"}),
        ({"$ref": "#/nowhere"}, set()),
        ({"type": {"evil": 1}}, set()),
        ({"type": ["strange", 7]}, set()),
        (True, set()),
        ({}, set()),
    ],
)
def test_the_types_of_an_argument(schema: Any, types: set[str]) -> None:
    """Also where it refers to them, or has a choice."""
    whole = {"properties": {"path": schema}, "$defs": {"some": {"type": "array"}}}
    found = arguments_of(of_tool(inputSchema=whole))
    assert set(found) == {("path", kind) for kind in ("", *types)}


def test_arguments_of_prompts_are_texts() -> None:
    prompt = Capability.read(Kind.PROMPT, {"name": "x", "arguments": [{"name": "what"}, 7, {"name": 7}]})
    assert arguments_of(prompt) == (("what", ""), ("what", "string"))
    assert annotations_of(prompt) == ()


@pytest.mark.parametrize("schema", [None, [], {"properties": []}, {"properties": {}}])
def test_a_schema_that_is_none_has_no_arguments(schema: Any) -> None:
    assert arguments_of(of_tool(inputSchema=schema)) == ()


def test_there_is_an_end_to_arguments() -> None:
    many = {f"argument{number}": {"type": "string"} for number in range(1_000)}
    assert len(arguments_of(of_tool(inputSchema={"properties": many}))) == MAX_ARGUMENTS


def test_hints_have_the_defaults_of_the_specification() -> None:
    """A tool that says nothing may destroy something, and is found as such."""
    assert dict(annotations_of(of_tool())) == {
        "readOnlyHint": "false",
        "destructiveHint": "true",
        "idempotentHint": "false",
        "openWorldHint": "true",
    }
    told = of_tool(annotations={"readOnlyHint": True, "destructiveHint": "no", "own": False})
    assert dict(annotations_of(told))["readOnlyHint"] == "true"
    assert dict(annotations_of(told))["destructiveHint"] == "true"
    assert dict(annotations_of(told))["own"] == "false"
    many = {f"hint{number}": True for number in range(100)}
    assert len(annotations_of(of_tool(annotations=many))) == 16


def test_words_come_from_names_and_descriptions() -> None:
    read = Capability.read(Kind.TOOL, READ)
    assert capability_words(read, arguments_of(read)) == "read file a path"
    shown = snapshot(READ, server={"name": "drive", "title": "My Drive"}, instructions="Ask nicely.")
    words = server_words(str(FILES), shown).split()
    assert {"github", "owner", "drive", "my", "nicely", "read"} <= set(words)
    assert title_of(shown) == "My Drive"
    assert description_of(shown) == "Ask nicely."
    assert title_of(snapshot(server={"title": 7})) == ""
