"""MCP bundles: a manifest's `user_config`, and where its command line puts each value."""

from typing import Any

import pytest

from avow.core.configuration.formats.mcpb import read, write
from avow.core.configuration.model import Binding, Configuration, Parameter, PathKind, Style, ValueType, Where
from avow.errors import DeclarationError

MANIFEST: dict[str, Any] = {
    "user_config": {
        "allowed_directories": {
            "type": "directory",
            "title": "Allowed directories",
            "description": "What the server may read",
            "required": True,
            "multiple": True,
            "default": ["${HOME}/Desktop"],
        },
        "api_key": {"type": "string", "title": "API key", "description": "", "sensitive": True},
        "size": {"type": "number", "title": "size", "description": "", "min": 1, "max": 9, "default": 5},
        "host": {"type": "string", "title": "host", "description": ""},
        "port": {"type": "number", "title": "port", "description": ""},
        "log": {"type": "file", "title": "log", "description": ""},
        "debug": {"type": "boolean", "title": "debug", "description": "", "default": False},
    },
    "server": {
        "mcp_config": {
            "args": [
                "--size",
                "${user_config.size}",
                "--log=${user_config.log}",
                "${user_config.allowed_directories}",
                "http://${user_config.host}:${user_config.port}",
            ],
            "env": {
                "API_KEY": "Bearer ${user_config.api_key}",
                "SIZE": "${user_config.size}",
                "MODE": "bundle",
            },
        }
    },
}


def test_a_manifest_is_written_as_it_was_read() -> None:
    exported = write(read(MANIFEST))

    assert exported.document == MANIFEST
    assert exported.told == ()


def test_every_entry_is_read_with_its_places() -> None:
    found = read(MANIFEST).parameters

    directories = found["allowed_directories"]
    assert (directories.type, directories.path_kind) == (ValueType.PATH, PathKind.DIRECTORY)
    assert directories.default == ("${HOME}/Desktop",)
    assert directories.binding == Binding(Where.ARGUMENT, "allowed_directories", order=3)
    assert found["api_key"].binding == Binding(Where.ENV, "API_KEY", template="Bearer {}")
    assert found["size"].binding == Binding(Where.ARGUMENT, "--size", Style.NAMED, order=1)
    assert found["size"].also == (Binding(Where.ENV, "SIZE"),)
    assert found["log"].binding == Binding(Where.ARGUMENT, "--log", Style.NAMED, order=2, joiner="=")
    assert found["host"].binding == Binding(
        Where.ARGUMENT, "host", order=4, template="http://{host}:{port}", part="host"
    )
    assert found["debug"].binding == Binding(Where.OTHER, "debug")
    assert found["MODE"].fixed == "bundle"


def test_what_the_bundle_sets_itself_is_no_parameter() -> None:
    settings = {"args": ["${__dirname}/server.js", "--stdio"], "env": {"NODE_PATH": "${__dirname}/x"}}

    assert read({"server": {"mcp_config": settings}}) == Configuration()


def test_what_the_format_cannot_say_is_listed() -> None:
    configuration = Configuration.of(
        [
            Parameter("port", Binding(Where.ENV, "PORT"), ValueType.INTEGER, pattern="^8"),
            Parameter(
                "site", Binding(Where.HEADER, "X-Site"), ValueType.URL, examples=("https://a.example",)
            ),
            Parameter("root", Binding(Where.ENV, "ROOT"), ValueType.PATH, must_exist=True),
        ]
    )

    assert set(write(configuration).told) == {
        "port: type becomes number",
        "port: pattern is left out",
        "site: binding.where becomes other",
        "site: binding.name becomes site",
        "site: type becomes string",
        "site: examples is left out",
        "root: type becomes string",
        "root: must_exist is left out",
    }


def test_nothing_to_put_anywhere_writes_no_settings() -> None:
    exported = write(Configuration.of([Parameter("a", Binding(Where.OTHER, "a"))]))

    assert list(exported.document) == ["user_config"]


WRONG: dict[str, tuple[Any, str]] = {
    "no object": (5, "manifest.json is not an object"),
    "no type": ({"user_config": {"a": {}}}, "'a' in user_config: type is missing"),
    "type": ({"user_config": {"a": {"type": "path"}}}, "'a' in user_config: type is not one of string,"),
    "number": (
        {"user_config": {"a": {"type": "number", "min": True}}},
        "'a' in user_config: min is not a number",
    ),
    "key": (
        {"user_config": {"": {"type": "string"}}},
        "an entry of user_config in manifest.json has no name",
    ),
    "default": (
        {"user_config": {"a": {"type": "string", "default": [[]]}}},
        "'a' in user_config: default is not text",
    ),
    "arguments": ({"server": {"mcp_config": {"args": [5]}}}, "args in mcp_config is not a list of texts"),
    "variables": (
        {"server": {"mcp_config": {"env": {"A": 5}}}},
        "env in mcp_config has a value that is not text",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_with_a_reason(name: str) -> None:
    document, message = WRONG[name]

    with pytest.raises(DeclarationError) as caught:
        read(document)
    assert caught.value.message.startswith(message)
