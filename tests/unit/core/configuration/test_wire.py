"""The declaration on the wire: read strictly, written exactly, found in three places."""

from typing import Any

import pytest

from avow.core.configuration.exported import Lost
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Group,
    GroupRule,
    Parameter,
    Style,
    ValueType,
    Where,
)
from avow.core.configuration.wire import MAX_PARAMETERS, find_declaration, read_schema, write_schema
from avow.errors import DeclarationError

TOKEN = {"name": "TOKEN", "description": "A token", "type": "string", "required": True}

FILESYSTEM = {
    "arguments": [
        {
            "name": "allowed-directory",
            "description": "Directory path that the server is allowed to access",
            "type": "path",
            "required": True,
            "multiple": True,
            "examples": ["/home/user/projects", "/tmp"],
        }
    ]
}
GITHUB = {
    "environmentVariables": [
        {
            "name": "GITHUB_TOKEN",
            "description": "GitHub personal access token with repo permissions",
            "type": "string",
            "required": True,
            "sensitive": True,
            "pattern": "^ghp_[a-zA-Z0-9]{36}$",
        }
    ]
}
CLONE = {
    "environmentVariables": [
        {
            "name": "CLONE_PRESERVE_PERMISSIONS",
            "description": "Whether to preserve file permissions during cloning",
            "type": "boolean",
            "required": False,
            "default": True,
        }
    ],
    "arguments": [
        {"name": name, "description": name, "type": "path", "required": True}
        for name in ("source-directory", "destination-directory")
    ],
}


@pytest.mark.parametrize("schema", [FILESYSTEM, GITHUB, CLONE, {}])
def test_a_schema_is_written_as_it_was_read(schema: dict[str, Any]) -> None:
    exported = write_schema(read_schema(schema))

    assert (exported.document, exported.told) == (schema, ())


def test_an_argument_is_a_flag_by_its_dashes_and_a_switch_by_its_type() -> None:
    schema = {
        "arguments": [
            {**TOKEN, "name": "directory"},
            {**TOKEN, "name": "--root", "multiple": True},
            {**TOKEN, "name": "--verbose", "type": "boolean"},
        ]
    }

    assert [one.binding for one in read_schema(schema)] == [
        Binding(Where.ARGUMENT, "directory"),
        Binding(Where.ARGUMENT, "--root", Style.NAMED, order=1, repeat=True),
        Binding(Where.ARGUMENT, "--verbose", Style.NAMED, order=2, joiner=""),
    ]


def test_one_name_in_two_lists_is_two_parameters() -> None:
    configuration = read_schema({"environmentVariables": [TOKEN], "arguments": [TOKEN], "other": [TOKEN]})

    assert list(configuration.parameters) == ["TOKEN", "argument:TOKEN", "other:TOKEN"]


def test_members_that_nobody_knows_are_passed_over() -> None:
    schema = {"environmentVariables": [{**TOKEN, "icon": 5}], "secrets": 7}

    assert read_schema(schema) == read_schema({"environmentVariables": [TOKEN]})


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], "the configuration schema is not an object"),
    "no list": ({"arguments": {}}, "arguments in the configuration schema is not a list"),
    "no entry": ({"other": [5]}, "an entry of other in the configuration schema is not an object"),
    "no name": ({"other": [{}]}, "an entry of other in the configuration schema has no name"),
    "empty name": ({"other": [{**TOKEN, "name": ""}]}, "has no name"),
    "long name": ({"other": [{**TOKEN, "name": "x" * 201}]}, "more than 200 characters"),
    "hidden name": ({"other": [{**TOKEN, "name": "a\u202eb"}]}, r"do not show: a\u{202e}b"),
    "variable name": (
        {"environmentVariables": [{**TOKEN, "name": "A=B"}]},
        "'A=B' in environmentVariables cannot be the name of an environment variable",
    ),
    "newline": ({"environmentVariables": [{**TOKEN, "name": "A\n"}]}, "do not show"),
    "twice": ({"arguments": [TOKEN, TOKEN]}, "'TOKEN' in arguments is declared twice"),
    "no type": (
        {"other": [{"name": "A", "description": "", "required": True}]},
        "'A' in other: type is missing",
    ),
    "type": ({"other": [{**TOKEN, "type": "integer"}]}, "type is not one of string, number, boolean, path"),
    "description": ({"other": [{**TOKEN, "description": 5}]}, "description is not text"),
    "required": ({"other": [{**TOKEN, "required": 1}]}, "required is not true or false"),
    "sensitive": ({"other": [{**TOKEN, "sensitive": None}]}, "sensitive is not true or false"),
    "default": ({"other": [{**TOKEN, "default": [1]}]}, "default is not text, a number, true or false"),
    "pattern": ({"other": [{**TOKEN, "pattern": {}}]}, "pattern is not text"),
    "examples": ({"other": [{**TOKEN, "examples": "x"}]}, "examples is not a list of texts"),
    "an example": ({"other": [{**TOKEN, "examples": [5]}]}, "examples is not a list of texts"),
    "too many": (
        {"other": [{**TOKEN, "name": str(number)} for number in range(MAX_PARAMETERS + 1)]},
        "65 parameters; 64 is the limit",
    ),
    "too large": ({"other": [{**TOKEN, "description": "x" * 65_536}]}, "65536 is the limit"),
    "not JSON": ({"other": [float("nan")]}, "the configuration schema cannot be read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_with_a_reason(name: str) -> None:
    schema, reason = WRONG[name]

    with pytest.raises(DeclarationError) as caught:
        read_schema(schema)
    assert reason in caught.value.message


def test_what_the_schema_cannot_say_is_listed() -> None:
    configuration = Configuration.of(
        [
            Parameter("PORT", Binding(Where.ENV, "PORT"), ValueType.INTEGER, "The port", minimum=1),
            Parameter("mode", Binding(Where.ENV, "MODE"), ValueType.ENUM, "The mode", choices=("a", "b.c")),
            Parameter("X-Key", Binding(Where.HEADER, "X-Key"), title="The key"),
            Parameter("LEVEL", Binding(Where.ENV, "LEVEL"), fixed="debug"),
            Parameter("a b", Binding(Where.ENV, "a b"), default=("x",)),
            Parameter("again", Binding(Where.ENV, "PORT")),
        ],
        [Group(GroupRule.ANY_OF, (("PORT",), ("mode",)))],
    )

    exported = write_schema(configuration)

    assert exported.document["environmentVariables"][1]["pattern"] == r"^(?:a|b\.c)$"
    assert exported.document["other"][0]["description"] == "The key"
    assert set(exported.told) == {
        "again is no parameter there",
        "PORT: type becomes number",
        "PORT: minimum is left out",
        "mode: key becomes MODE",
        "mode: type becomes string",
        "mode: choices is left out",
        r"mode: pattern becomes ^(?:a|b\.c)$",
        "X-Key: binding.where becomes other",
        "X-Key: description becomes The key",
        "X-Key: title is left out",
        "LEVEL: default becomes debug",
        "LEVEL: fixed is left out",
        "a b: binding.where becomes other",
        "a b: default is left out",
        "groups: groups is left out",
    }


def test_a_part_of_a_template_is_declared_by_its_key() -> None:
    shared = Binding(Where.ENV, "DSN", template="{user}:{password}", part="user")

    exported = write_schema(Configuration.of([Parameter("user", shared)]))

    assert exported.document["other"][0]["name"] == "user"
    assert Lost("user", "binding.where", Where.OTHER) in exported.lost


def test_parameters_that_share_a_name_are_declared_under_others() -> None:
    parts = [
        Parameter(key, Binding(Where.OTHER, "A", template="{user}:{password}", part=part))
        for key, part in (("B", "user"), ("A", "password"))
    ]

    exported = write_schema(Configuration.of(parts))

    assert [entry["name"] for entry in exported.document["other"]] == ["A", "other:A"]
    assert "A: key becomes other:A" in exported.told


def test_more_than_a_reader_takes_is_refused_where_it_is_written() -> None:
    names = [f"V{number}" for number in range(MAX_PARAMETERS + 1)]

    with pytest.raises(DeclarationError):
        write_schema(Configuration.of(Parameter(name, Binding(Where.ENV, name)) for name in names))


def test_true_is_not_one() -> None:
    """A default of 1 that came back as true would be another default."""
    from avow.core.configuration.exported import losses

    def having(default: Any) -> Configuration:
        return Configuration.of([Parameter("A", Binding(Where.ENV, "A"), default=default)])

    assert losses(having(1), having(True)) == (Lost("A", "default", True),)
    assert losses(having((1, 0)), having((True, 0))) == (Lost("A", "default", (True, 0)),)
    assert losses(having((1,)), having((1, 1))) == (Lost("A", "default", (1, 1)),)


@pytest.mark.parametrize(
    "result",
    [
        {"configurationSchema": CLONE, "capabilities": {"experimental": {"configurationSchema": {}}}},
        {"capabilities": {"extensions": {"dev.avow/configuration": CLONE}}},
        {"capabilities": {"extensions": 5, "experimental": {"configurationSchema": CLONE}}},
    ],
)
def test_a_declaration_is_found_in_each_of_its_places(result: dict[str, Any]) -> None:
    assert find_declaration(result) == CLONE


@pytest.mark.parametrize("result", [{}, {"capabilities": 5}, {"capabilities": {"experimental": {}}}])
def test_no_declaration_is_none(result: dict[str, Any]) -> None:
    assert find_declaration(result) is None
