"""Command lines as servers get them, read by their declaration."""

from typing import Any

import pytest

from avow.core.configuration.model import Binding, Configuration, Parameter, Style, ValueType, Where
from avow.server.configuration import argument, variable
from avow.server.configuration_arguments import read_given


def given(*parameters: Parameter, arguments: str = "", **environment: str) -> dict[str, Any]:
    return read_given(Configuration.of(parameters), environment, arguments.split())


def positional(name: str, order: int, **options: Any) -> Parameter:
    return Parameter(name, Binding(Where.ARGUMENT, name, order=order), **options)


SOURCE, DESTINATION = positional("source", 0), positional("destination", 1)
DEPTH = argument("--depth", type="integer", aliases=("-d",))
FORCE = argument("--force", type="boolean")
SKIP = argument("--skip", multiple=True)
TAGS = Parameter("--tags", Binding(Where.ARGUMENT, "--tags", Style.NAMED), multiple=True)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {}),
        ("a", {"source": "a"}),
        ("a b", {"source": "a", "destination": "b"}),
        ("--depth 3 a --force b", {"source": "a", "destination": "b", "--depth": "3", "--force": "true"}),
        ("a -d 3", {"source": "a", "--depth": "3"}),
        ("--depth=3 --force=false", {"--depth": "3", "--force": "false"}),
        ("--depth 1 --depth 2", {"--depth": "2"}),
        ("--depth", {}),
        ("--depth --force", {"--force": "true"}),
        ("--depth=", {}),
        ("--skip a --skip b c", {"--skip": ("a", "b"), "source": "c"}),
        ("--tags a b --force", {"--tags": ("a", "b"), "--force": "true"}),
        ("--tags a b -- c", {"--tags": ("a", "b"), "source": "c"}),
        ("-- --depth 3", {"source": "--depth", "destination": "3"}),
    ],
)
def test_a_command_line_is_read_as_it_was_declared(arguments: str, expected: Any) -> None:
    assert given(SOURCE, DESTINATION, DEPTH, FORCE, SKIP, TAGS, arguments=arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {}),
        ("a", {"target": "a"}),
        ("a b", {"sources": ("a",), "target": "b"}),
        ("a b c", {"sources": ("a", "b"), "target": "c"}),
    ],
)
def test_a_positional_argument_with_several_values_leaves_one_for_each_that_follows(
    arguments: str, expected: Any
) -> None:
    sources, target = positional("sources", 0, multiple=True), positional("target", 1)

    assert given(sources, target, arguments=arguments) == expected


def test_variables_are_read_by_any_of_their_names() -> None:
    token = variable("TOKEN", aliases=("GH_TOKEN",))

    assert given(token, TOKEN="a", GH_TOKEN="b") == {"TOKEN": "a"}
    assert given(token, TOKEN="", GH_TOKEN="b") == {"TOKEN": "b"}
    assert given(token, OTHER="c") == {}


def test_a_variable_with_several_values_is_split() -> None:
    hosts = variable("HOSTS", multiple=True, separator=";")

    assert given(hosts, HOSTS="a;b") == {"HOSTS": ("a", "b")}
    assert given(variable("HOSTS", multiple=True), HOSTS="a,b") == {"HOSTS": ("a", "b")}


def test_flags_and_positional_arguments_are_told_apart_by_their_name() -> None:
    assert argument("--depth").binding == Binding(Where.ARGUMENT, "--depth", Style.NAMED)
    assert argument("--force", type="boolean").binding.joiner == ""
    assert argument("directory").binding.style is Style.POSITIONAL
    assert argument("directory", type="path").type is ValueType.PATH
    assert argument("directory").required
    assert not argument("directory", default=".").required
