"""Arguments for a tool that may be called: the least that its schema asks for."""

from typing import Any, Final

from avow.core.canonical import JsonObject, JsonValue

_BY_TYPE: Final[dict[str, JsonValue]] = {
    "string": "avow",
    "integer": 1,
    "number": 1,
    "boolean": False,
    "array": [],
    "object": {},
    "null": None,
}


def sample_arguments(tool: JsonObject) -> JsonObject:
    """A value for each required argument; whether they make sense is for the tool to say."""
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict):
        return {}
    required, properties = schema.get("required"), schema.get("properties")
    if not isinstance(required, list) or not isinstance(properties, dict):
        return {}
    return {name: _sample(properties.get(name)) for name in required if isinstance(name, str)}


def _sample(schema: Any) -> JsonValue:
    if not isinstance(schema, dict):
        return "avow"
    for member in ("const", "default"):
        if member in schema:
            return schema[member]
    for member in ("enum", "examples"):
        listed = schema.get(member)
        if isinstance(listed, list) and listed:
            return listed[0]
    kind = schema.get("type")
    first = kind[0] if isinstance(kind, list) and kind else kind
    value = _BY_TYPE.get(first, "avow") if isinstance(first, str) else "avow"
    lowest = schema.get("minimum")
    return lowest if value == 1 and isinstance(lowest, int) else value
