"""Smithery-style JSON Schema: properties that are asked for, nested or in lists, and groups of them."""

from typing import Any

import pytest

from avow.core.configuration.formats.smithery import read, write
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Group,
    GroupRule,
    Parameter,
    PathKind,
    Style,
    ValueType,
    Where,
)
from avow.errors import DeclarationError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "apiKey": {
            "type": "string",
            "title": "API key",
            "description": "From your account",
            "pattern": "^sk-",
            "examples": ["sk-…"],
            "x-from": {"header": "x-api-key"},
            "writeOnly": True,
        },
        "region": {"type": "string", "enum": ["eu", "us"], "default": "eu", "x-from": {"query": "region"}},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535, "default": 3000},
        "rate": {"type": "number"},
        "debug": {"type": "boolean"},
        "site": {"type": "string", "format": "uri"},
        "roots": {
            "type": "array",
            "items": {"type": "string", "format": "directory-path"},
            "default": ["/a"],
        },
        "log": {"type": "string", "format": "file-path"},
        "mode": {"type": "string", "const": "x"},
    },
    "required": ["apiKey", "port"],
    "anyOf": [{"required": ["apiKey"]}, {"required": ["site", "rate"]}],
}


def test_a_schema_is_written_as_it_was_read() -> None:
    exported = write(read(SCHEMA))

    assert exported.document == SCHEMA
    assert exported.told == ()


def test_several_groups_are_written_together() -> None:
    groups = (
        Group(GroupRule.ONE_OF, (("a",), ("b",))),
        Group(GroupRule.ANY_OF, (("a",), ("c",))),
    )
    parameters = [Parameter(key, Binding(Where.OTHER, key)) for key in "abc"]

    exported = write(Configuration.of(parameters, groups))

    assert (exported.lost, read(exported.document).groups) == ((), groups)


def test_every_property_is_read_with_its_type() -> None:
    found = read(SCHEMA).parameters

    assert found["apiKey"].binding == Binding(Where.HEADER, "x-api-key")
    assert found["region"].binding == Binding(Where.URL_VARIABLE, "region")
    assert found["rate"].binding == Binding(Where.OTHER, "rate")
    assert (found["region"].type, found["site"].type) == (ValueType.ENUM, ValueType.URL)
    assert (found["roots"].multiple, found["roots"].path_kind) == (True, PathKind.DIRECTORY)
    assert (found["roots"].default, found["mode"].fixed) == (("/a",), "x")
    assert found["apiKey"].required
    assert found["apiKey"].secret
    assert read(SCHEMA).groups == (Group(GroupRule.ANY_OF, (("apiKey",), ("site", "rate"))),)


def test_a_whole_file_is_read_too() -> None:
    assert read({"startCommand": {"type": "stdio", "configSchema": SCHEMA}}) == read(SCHEMA)
    assert read({"startCommand": {"type": "http"}}) == Configuration()


def test_nested_objects_are_flattened_and_required_with_what_is_around_them() -> None:
    inner = {"type": "object", "properties": {"host": {"type": "string"}}, "required": ["host"]}
    schema = {"properties": {"a": inner, "b": inner}, "required": ["a"]}

    assert [(one.key, one.required) for one in read(schema)] == [("a.host", True), ("b.host", False)]


@pytest.mark.parametrize(
    "entry",
    [
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "integer"}]},
    ],
)
def test_null_beside_a_type_says_nothing(entry: dict[str, Any]) -> None:
    (found,) = read({"properties": {"a": entry}})

    assert found.type is ValueType.INTEGER


ODD: dict[str, tuple[dict[str, Any], Parameter]] = {
    "password": ({"format": "password"}, Parameter("a", Binding(Where.OTHER, "a"), secret=True)),
    "no type": ({"type": []}, Parameter("a", Binding(Where.OTHER, "a"))),
    "an object": ({"type": "object"}, Parameter("a", Binding(Where.OTHER, "a"))),
    "two types": (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        Parameter("a", Binding(Where.OTHER, "a")),
    ),
    "default null": ({"default": None}, Parameter("a", Binding(Where.OTHER, "a"))),
    "numbers to choose": (
        {"type": "integer", "enum": [1, 2]},
        Parameter("a", Binding(Where.OTHER, "a"), ValueType.INTEGER),
    ),
    "origin": ({"x-from": {"cookie": "a"}}, Parameter("a", Binding(Where.OTHER, "a"))),
}


@pytest.mark.parametrize("name", ODD)
def test_what_schemas_also_say_is_read_as_far_as_it_makes_sense(name: str) -> None:
    entry, expected = ODD[name]

    (found,) = read({"properties": {"a": entry}})

    assert write(Configuration.of([found])).document == write(Configuration.of([expected])).document


@pytest.mark.parametrize("ways", [[{"required": ["a"]}, {}], [{"required": ["a"]}, {"required": ["b"]}]])
def test_a_group_that_asks_for_nothing_that_is_there_is_none(ways: list[Any]) -> None:
    assert read({"properties": {"a": {}}, "anyOf": ways}).groups == ()


def test_what_the_format_cannot_say_is_listed() -> None:
    bound = Binding(Where.ARGUMENT, "--a", Style.NAMED, joiner="=")

    assert set(write(Configuration.of([Parameter("a", bound, separator=";")])).told) == {
        "a: binding.where becomes other",
        "a: binding.name becomes a",
        "a: binding.style becomes positional",
        "a: binding.joiner becomes  ",
        "a: separator is left out",
    }


def _deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "string"}}}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ("x", "smithery.yaml is not an object"),
    "properties": ({"properties": []}, "properties in smithery.yaml is not an object"),
    "property": ({"properties": {"a": 5}}, "'a' in properties is not an object"),
    "required": ({"properties": {}, "required": "a"}, "smithery.yaml: required is not a list of texts"),
    "depth": (_deep(7), "'x.x.x.x.x.x' in properties is nested too deeply"),
    "default": ({"properties": {"a": {"default": {}}}}, "'a' in properties: default is not text"),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_with_a_reason(name: str) -> None:
    document, message = WRONG[name]

    with pytest.raises(DeclarationError) as caught:
        read(document)
    assert caught.value.message.startswith(message)
