"""The least that a schema asks for."""

import pytest

from avow.audit.live.arguments import sample_arguments
from avow.core.canonical import JsonObject, JsonValue


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "avow"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 7}, 7),
        ({"type": "boolean"}, False),
        ({"type": ["array", "null"]}, []),
        ({"type": "object"}, {}),
        ({"enum": ["red", "green"]}, "red"),
        ({"const": 3}, 3),
        ({"default": "x", "type": "string"}, "x"),
        ({"examples": ["y"]}, "y"),
        ({"type": {"odd": 1}}, "avow"),
        (True, "avow"),
    ],
)
def test_a_required_argument_gets_a_value(schema: JsonValue, value: JsonValue) -> None:
    tool: JsonObject = {"inputSchema": {"properties": {"it": schema, "not": {}}, "required": ["it"]}}

    assert sample_arguments(tool) == {"it": value}


@pytest.mark.parametrize("tool", [{}, {"inputSchema": []}, {"inputSchema": {"required": 1}}])
def test_what_is_no_schema_asks_for_nothing(tool: JsonObject) -> None:
    assert sample_arguments(tool) == {}
