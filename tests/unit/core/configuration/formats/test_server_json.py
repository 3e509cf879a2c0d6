"""The registry's `server.json`: samples shaped like published ones, read, and written back as they were."""

from typing import Any

import pytest

from avow.core.configuration.formats.server_json import read, write
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Source,
    Style,
    ValueType,
    Where,
)
from avow.core.configuration.values import apply
from avow.errors import DeclarationError

SOURCE = Source(Origin.MANIFEST, "server.json")

DATABASE: dict[str, Any] = {
    "packages": [
        {
            "runtimeArguments": [
                {"type": "named", "name": "--network", "description": "The network", "value": "host"},
                {
                    "type": "named",
                    "name": "--mount",
                    "isRepeated": True,
                    "value": "type=bind,src={source},dst={target}",
                    "variables": {
                        "source": {"description": "On the host", "format": "filepath", "isRequired": True},
                        "target": {"description": "Inside", "default": "/project"},
                    },
                },
            ],
            "packageArguments": [
                {"type": "positional", "value": "start"},
                {"type": "named", "name": "--port", "format": "number", "default": "5432"},
                {"type": "named", "name": "--read-only", "format": "boolean", "default": "true"},
                {
                    "type": "positional",
                    "valueHint": "database",
                    "description": "Databases to open",
                    "isRequired": True,
                    "isRepeated": True,
                    "placeholder": "orders",
                },
            ],
            "environmentVariables": [
                {"name": "DB_PASSWORD", "description": "The password", "isRequired": True, "isSecret": True},
                {"name": "SSL_MODE", "default": "prefer", "choices": ["disable", "prefer"]},
                {"name": "RATE", "format": "number", "default": "0.5"},
            ],
            "transport": {
                "type": "streamable-http",
                "headers": [
                    {
                        "name": "Authorization",
                        "value": "Bearer {token}",
                        "variables": {"token": {"isSecret": True}},
                    }
                ],
            },
        }
    ]
}
REMOTE: dict[str, Any] = {
    "remotes": [
        {
            "type": "streamable-http",
            "headers": [{"name": "X-API-Key", "isRequired": True, "isSecret": True}],
            "variables": {"tenant": {"description": "Your tenant", "choices": ["eu", "us"]}},
        }
    ]
}


@pytest.mark.parametrize("document", [DATABASE, REMOTE, {"packages": [{}]}])
def test_a_document_is_written_as_it_was_read(document: dict[str, Any]) -> None:
    exported = write(read(document))

    assert exported.document == document
    assert exported.told == ()


def test_every_input_is_read_with_its_place() -> None:
    found = read(DATABASE).parameters

    assert found["--network"].fixed == "host"
    assert found["argument-1"].fixed == "start"
    assert found["source"] == Parameter(
        "source",
        Binding(
            Where.ARGUMENT,
            "--mount",
            Style.NAMED,
            order=1,
            repeat=True,
            runtime=True,
            template="type=bind,src={source},dst={target}",
            part="source",
        ),
        ValueType.PATH,
        "On the host",
        required=True,
        multiple=True,
        source=SOURCE,
    )
    assert found["database"].examples == ("orders",)
    assert (found["--port"].default, found["RATE"].default) == (5432, 0.5)
    assert found["--read-only"].binding.joiner == ""
    assert (found["SSL_MODE"].type, found["SSL_MODE"].choices) == (ValueType.ENUM, ("disable", "prefer"))
    assert found["token"].binding == Binding(Where.HEADER, "Authorization", template="Bearer {}")
    assert found["token"].secret


def test_values_reach_the_command_line_that_the_document_describes() -> None:
    applied = apply(
        read(DATABASE),
        {"source": "/srv/data", "database": ["orders"], "DB_PASSWORD": "x", "token": "t", "--port": "1"},
    )

    assert applied.runtime_arguments == [
        "--network", "host", "--mount", "type=bind,src=/srv/data,dst=/project"
    ]  # fmt: skip
    assert applied.arguments == ["start", "--port", "1", "--read-only", "orders"]
    assert applied.env == {"DB_PASSWORD": "x", "SSL_MODE": "prefer", "RATE": "0.5"}
    assert applied.headers == {"Authorization": "Bearer t"}


def test_a_remote_is_read_where_there_is_no_package() -> None:
    key, tenant = read(REMOTE)

    assert key.binding == Binding(Where.HEADER, "X-API-Key")
    assert tenant.binding == Binding(Where.URL_VARIABLE, "tenant")
    assert read({}) == Configuration()


def test_the_package_that_is_meant_is_read() -> None:
    packages = [
        {"identifier": "a", "environmentVariables": [{"name": "A"}]},
        {"identifier": "b", "environmentVariables": [{"name": "B"}]},
    ]

    assert list(read({"packages": packages}, identifier="b").parameters) == ["B"]
    assert list(read({"packages": packages}, identifier="c").parameters) == ["A"]


def test_the_spelling_of_2025_is_read_too() -> None:
    old = {
        "packages": [
            {
                "environment_variables": [{"name": "KEY", "is_required": True, "is_secret": True}],
                "package_arguments": [{"type": "positional", "value_hint": "dir", "is_repeated": True}],
            }
        ]
    }

    directory, key = read(old)
    assert (key.required, key.secret) == (True, True)
    assert (directory.key, directory.multiple) == ("dir", True)


def test_a_variable_inherits_the_description_and_the_secrecy_of_its_input() -> None:
    entry = {"name": "DSN", "description": "The database", "isSecret": True}
    entry |= {"value": "pg://{host}", "variables": {"host": {}, "unused": {}}}

    (host,) = read({"packages": [{"environmentVariables": [entry]}]})

    assert (host.key, host.description, host.secret) == ("host", "The database", True)
    assert host.binding.template == "pg://{}"


def test_braces_that_name_no_variable_stay() -> None:
    entry = {"name": "A", "value": "{a}{}{a}", "variables": {"a": {"value": "1"}}}

    (variable,) = read({"packages": [{"environmentVariables": [entry]}]})

    assert (variable.binding.template, variable.binding.part, variable.fixed) == ("{a}{}{a}", "a", "1")


def test_one_name_for_two_inputs_is_two_parameters() -> None:
    inputs = [{"type": "positional", "valueHint": "A"}]
    found = read({"packages": [{"packageArguments": inputs, "environmentVariables": [{"name": "A"}]}]})

    assert list(found.parameters) == ["A", "env:A"]


def test_a_default_that_is_no_number_stays_text() -> None:
    odd = {"name": "A", "format": "number", "default": "many"}
    plain = {"name": "B", "format": "url", "default": 5}

    first, second = read({"packages": [{"environmentVariables": [odd, plain]}]})

    assert (first.default, second.default, second.type) == ("many", 5, ValueType.STRING)


def test_what_the_format_cannot_say_is_listed() -> None:
    configuration = Configuration.of(
        [
            Parameter("key", Binding(Where.ENV, "API_KEY"), title="The key", pattern="^a", aliases=("KEY",)),
            Parameter("where", Binding(Where.URL_VARIABLE, "where")),
            Parameter("list", Binding(Where.ENV, "LIST"), multiple=True, default=("a",)),
            Parameter("file", Binding(Where.FILE, "x.json")),
        ]
    )

    exported = write(configuration)

    assert exported.document["packages"][0]["environmentVariables"][0]["value"] == "{key}"
    assert set(exported.told) == {
        "where is no parameter there",
        "file is no parameter there",
        "key: description becomes The key",
        "key: title is left out",
        "key: pattern is left out",
        "key: aliases is left out",
        "list: multiple is left out",
        "list: default is left out",
    }


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], "server.json is not an object"),
    "packages": ({"packages": {}}, "packages in server.json is not a list of objects"),
    "package": ({"packages": [5]}, "packages in server.json is not a list of objects"),
    "no name": ({"packages": [{"environmentVariables": [{}]}]}, "an input in server.json has no name"),
    "flag": (
        {"packages": [{"environmentVariables": [{"name": "A", "isRequired": "yes"}]}]},
        "'A' in server.json: isRequired is not true or false",
    ),
    "too many": (
        {"packages": [{"environmentVariables": [{"name": f"A{n}"} for n in range(257)]}]},
        "server.json has more than 256 parameters",
    ),
    "too large": ({"name": "x" * (1 << 20)}, "server.json has 1048587 bytes; 1048576 is the limit"),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_with_a_reason(name: str) -> None:
    document, message = WRONG[name]

    with pytest.raises(DeclarationError) as caught:
        read(document)
    assert caught.value.message == message


def test_a_parameter_is_recognised_by_where_its_value_goes() -> None:
    part = Binding(Where.URL_VARIABLE, "host", template="{a}-{b}", part="a")

    assert set(write(Configuration.of([Parameter("x", part)])).told) == {
        "x: key becomes host",
        "x: binding.template becomes {}",
        "x: binding.part is left out",
    }
