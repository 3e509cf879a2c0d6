"""What the arguments of a tool show, whatever its name says."""

import pytest

from avow.core.canonical import Digest, JsonValue
from avow.core.capability import Capability, Kind
from avow.core.risk import Level, Risk, assess

# A schema deeper than a JSON reader takes cannot be digested; the rating has to bear it all the same.
NO_DIGEST = Digest("")


def rate(properties: JsonValue, name: str = "get_weather", description: str = "") -> Risk:
    """Rate a tool that is low apart from its arguments."""
    schema = {"type": "object", "properties": properties}
    return assess(
        Capability.read(Kind.TOOL, {"name": name, "description": description, "inputSchema": schema})
    )


@pytest.mark.parametrize(
    ("properties", "level", "reason"),
    [
        ({"command": {"type": "string"}}, Level.HIGH, 'argument "command" is run'),
        (
            {"command": {"type": "string", "description": "Shell command to run"}},
            Level.HIGH,
            'argument "command" is run',
        ),
        (
            {"command": {"type": "string", "description": "Which page of the manual"}},
            Level.MEDIUM,
            'argument "command" may be run',
        ),
        (
            {"code": {"type": "string", "description": "Code to execute"}},
            Level.HIGH,
            'argument "code" is run',
        ),
        ({"sql": {"type": "string"}}, Level.HIGH, 'argument "sql" is a query that may write'),
        (
            {"action": {"enum": ["read", "delete_file"]}},
            Level.HIGH,
            'argument "action" may be "delete_file"',
        ),
        ({"method": {"enum": ["GET", "PUT"]}}, Level.HIGH, 'argument "method" may be "PUT"'),
        (
            {"action": {"anyOf": [{"const": "purge"}, {"type": "null"}]}},
            Level.HIGH,
            'argument "action" may be "purge"',
        ),
        ({"overwrite": {"type": "boolean"}}, Level.HIGH, 'argument "overwrite" can be switched on'),
        ({"overwrite": {"type": ["boolean", "null"]}}, Level.HIGH, 'argument "overwrite" can be switched on'),
        (
            {"savePath": {"type": "string"}},
            Level.HIGH,
            'argument "savePath" says where a file is written',
        ),
        ({"path": {"type": "string"}}, Level.MEDIUM, 'argument "path" names a file'),
        (
            {"picture": {"type": "string", "format": "uri"}},
            Level.MEDIUM,
            'argument "picture" is an address that the server contacts',
        ),
        ({"url": {}}, Level.MEDIUM, 'argument "url" is an address that the server contacts'),
        (
            {"image": {"type": "string", "description": "Path to the image"}},
            Level.MEDIUM,
            'argument "image" may name a file or an address',
        ),
    ],
)
def test_an_argument_raises_the_level(properties: JsonValue, level: Level, reason: str) -> None:
    risk = rate(properties)

    assert (risk.level, risk.reasons[0]) == (level, reason)


@pytest.mark.parametrize(
    "properties",
    [
        {"city": {"type": "string"}},
        {"file_type": {"type": "string"}},
        {"path": {"type": "integer"}},
        {"code": {"type": "string", "description": "Code of the country"}},
        {"url": {"type": "string", "description": "The youtube video"}},
        {"action": {"enum": ["merge_train_removed", "", 7, "show"]}},
        {"filter": {"type": "object", "properties": {"delete": {"type": "boolean"}}}},
        [],
        {"city": "not a schema"},
    ],
)
def test_an_ordinary_argument_does_not(properties: JsonValue) -> None:
    assert rate(properties).level is Level.LOW


def test_code_that_is_only_computed_on_is_not_run() -> None:
    """A converter takes SQL as text, a formatter a script."""
    properties = {
        "sql": {"type": "string"},
        "code": {"type": "string", "description": "Code as it would be run"},
    }

    assert rate(properties, "convert", "Converts SQL to a request").level is Level.LOW
    assert rate({"script": {"type": "string"}}, "format", "Formats a script").level is Level.MEDIUM


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"options": {"properties": {"command": {"type": "string"}}}}},
        {"properties": {"steps": {"items": {"properties": {"command": {"type": "string"}}}}}},
        {"anyOf": [{"properties": {"command": {"type": "string"}}}]},
        {"$defs": {"Step": {"properties": {"command": {"type": "string"}}}}},
    ],
)
def test_an_argument_is_found_wherever_it_is_declared(schema: JsonValue) -> None:
    risk = assess(Capability.read(Kind.TOOL, {"name": "get_weather", "inputSchema": schema}))

    assert risk.reasons[0] == 'argument "command" is run'


def test_a_schema_without_end_is_read_in_part_and_not_called_low() -> None:
    many = {f"field{number}": {"type": "string"} for number in range(25_000)}

    risk = rate(many)

    assert risk.level is Level.MEDIUM
    assert risk.reasons[0] == "only the first 20000 parts of the input schema were read"


def test_a_schema_of_any_depth_is_read() -> None:
    deep: JsonValue = {"properties": {"command": {"type": "string"}}}
    for _ in range(5_000):
        deep = {"items": deep}
    risk = assess(
        Capability(Kind.TOOL, "get_weather", {"name": "get_weather", "inputSchema": deep}, NO_DIGEST)
    )

    assert risk.level is Level.HIGH


def test_a_description_without_end_is_read_in_part_and_not_called_low() -> None:
    risk = rate({}, description="Get the weather. " + "x" * 100_000)

    assert risk.level is Level.MEDIUM
    assert "only the first 20000 characters of the description were read" in risk.reasons
