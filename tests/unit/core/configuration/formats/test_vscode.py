"""VS Code's `mcp.json`: inputs, and the server that uses them."""

from typing import Any

import pytest

from avow.core.configuration.formats.vscode import read, write
from avow.core.configuration.model import Binding, Configuration, Parameter, Style, ValueType, Where
from avow.errors import DeclarationError

FILE: dict[str, Any] = {
    "inputs": [
        {"type": "promptString", "id": "token", "description": "The token", "password": True},
        {
            "type": "pickString",
            "id": "region",
            "description": "",
            "options": ["eu", "us"],
            "default": "eu",
        },
        {"type": "promptString", "id": "root", "description": ""},
    ],
    "servers": {
        "x": {
            "args": ["--region", "${input:region}", "${input:root}"],
            "env": {"TOKEN": "${input:token}"},
            "headers": {"Authorization": "Bearer ${input:token}"},
        }
    },
}


def test_a_file_is_written_as_it_was_read() -> None:
    exported = write(read(FILE, "x"), "x")

    assert exported.document == FILE
    assert exported.told == ()


def test_every_input_of_the_server_is_read_with_its_places() -> None:
    found = read(FILE, "x").parameters

    assert found["token"].binding == Binding(Where.ENV, "TOKEN")
    assert found["token"].also == (Binding(Where.HEADER, "Authorization", template="Bearer {}"),)
    assert found["token"].required
    assert found["region"].binding == Binding(Where.ARGUMENT, "--region", Style.NAMED, order=1)
    assert (found["region"].type, found["region"].required) == (ValueType.ENUM, False)


def test_inputs_of_other_servers_are_not_read() -> None:
    other = {"env": {"A": "${input:root}"}}

    assert list(read({**FILE, "servers": {"y": other}}, "y").parameters) == ["root"]
    assert read(FILE, "z") == Configuration()


def test_a_part_of_the_address_is_a_variable_of_it() -> None:
    server = {"url": "https://${input:root}.example/mcp", "env": {}}

    (root,) = read({**FILE, "servers": {"y": server}}, "y")

    assert root.binding == Binding(Where.URL_VARIABLE, "root")
    assert read({**FILE, "servers": {"y": {"url": 5}}}, "y") == Configuration()


def test_an_option_may_have_a_label() -> None:
    entry = {"type": "pickString", "id": "a", "options": [{"label": "Europe", "value": "eu"}, "us"]}

    (found,) = read({"inputs": [entry], "servers": {"x": {"args": ["${input:a}"]}}}, "x")

    assert found.choices == ("eu", "us")


def test_what_the_format_cannot_say_is_listed() -> None:
    configuration = Configuration.of(
        [
            Parameter("port", Binding(Where.ENV, "PORT"), ValueType.INTEGER, default=80, title="The port"),
            Parameter("level", Binding(Where.ENV, "LEVEL")),
            Parameter("file", Binding(Where.FILE, "x.json"), required=True),
            Parameter("tags", Binding(Where.ENV, "TAGS"), required=True, default=("a",)),
        ]
    )

    assert set(write(configuration, "x").told) == {
        "file is no parameter there",
        "port: type becomes string",
        "port: description becomes The port",
        "port: title is left out",
        "port: default becomes 80",
        "level: required becomes True",
        "tags: default is left out",
    }


WRONG: dict[str, tuple[Any, str]] = {
    "no object": (5, "mcp.json is not an object"),
    "inputs": ({"inputs": {}}, "inputs in mcp.json is not a list of objects"),
    "server": ({"servers": {"x": 5}}, "the server in mcp.json is not an object"),
    "type": (
        {"inputs": [{"id": "a"}], "servers": {"x": {"args": ["${input:a}"]}}},
        "'a' in inputs: type is missing",
    ),
    "options": (
        {
            "inputs": [{"id": "a", "type": "pickString", "options": "x"}],
            "servers": {"x": {"args": ["${input:a}"]}},
        },
        "'a' in inputs: options is not a list of texts",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_with_a_reason(name: str) -> None:
    document, message = WRONG[name]

    with pytest.raises(DeclarationError) as caught:
        read(document, "x")
    assert caught.value.message == message
