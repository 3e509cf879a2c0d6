"""Values: held to the rules of their parameter, in messages that never repeat them."""

import time
from typing import Any

import pytest

from avow.core.configuration.model import (
    Binding,
    Configuration,
    Parameter,
    PathKind,
    Scalar,
    ValueType,
    Where,
)
from avow.core.configuration.values import (
    MAX_MATCHED,
    MAX_PATTERN,
    MAX_VALUE,
    not_checked,
    parse,
    problem,
    problems,
    written,
)
from avow.errors import UsageError


def _parameter(type_: ValueType = ValueType.STRING, **more: Any) -> Parameter:
    return Parameter("KEY", Binding(Where.ENV, "KEY"), type_, **more)


INTEGER = _parameter(ValueType.INTEGER, minimum=1, maximum=9)
NUMBER = _parameter(ValueType.NUMBER, minimum=0.5)
BOOLEAN = _parameter(ValueType.BOOLEAN)
URL = _parameter(ValueType.URL)
PATH = _parameter(ValueType.PATH)
REQUIRED = _parameter(required=True)
COLOUR = _parameter(ValueType.ENUM, choices=("red", "blue"))
GITHUB = _parameter(pattern="^ghp_[a-zA-Z0-9]{36}$", required=True)

HOST = "KEY must be an address with a host, and a port between 1 and 65535 if any"
DIGITS = "KEY must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, a, b, …"
LONG = f"KEY must not be longer than {MAX_MATCHED} characters, since it has to match a pattern"
BAD = [
    (REQUIRED, "", "KEY must not be empty"),
    (REQUIRED, "x" * (MAX_VALUE + 1), f"KEY must not be longer than {MAX_VALUE} characters"),
    (REQUIRED, "hunter\n2", "KEY must not contain line breaks or NUL"),
    (REQUIRED, "hunter\r2", "KEY must not contain line breaks or NUL"),
    (REQUIRED, "hunter\x002", "KEY must not contain line breaks or NUL"),
    (REQUIRED, "hunter\udc80", "KEY must be text in UTF-8"),
    (INTEGER, "hunter2", "KEY must be a whole number"),
    (INTEGER, "1.0", "KEY must be a whole number"),
    (INTEGER, "0x1", "KEY must be a whole number"),
    (INTEGER, "٣", "KEY must be a whole number"),
    (INTEGER, "0", "KEY must be at least 1"),
    (INTEGER, "10", "KEY must be at most 9"),
    (NUMBER, "hunter2", "KEY must be a number"),
    (NUMBER, "nan", "KEY must be a number"),
    (NUMBER, "1e999", "KEY must be a number"),
    (NUMBER, "0.25", "KEY must be at least 0.5"),
    (BOOLEAN, "hunter2", "KEY must be true or false"),
    (URL, "hunter2", "KEY must be an address such as https://host/path"),
    (URL, "https://hun ter2", "KEY must be an address such as https://host/path"),
    (URL, "javascript://hunter2", "KEY must be an address of a place, not a program"),
    (URL, "https:///hunter2", HOST),
    (URL, "https://hunter2:0/", HOST),
    (URL, "https://hunter2:99999", HOST),
    (PATH, "", "KEY must be a path"),
    (COLOUR, "hunter2", "KEY must be one of red, blue"),
    (_parameter(choices=tuple("0123456789abcdef")), "hunter2", DIGITS),
    (GITHUB, "hunter2", "KEY must match the pattern ^ghp_[a-zA-Z0-9]{36}$"),
    (GITHUB, "g" * (MAX_MATCHED + 1), LONG),
]


@pytest.mark.parametrize(("parameter", "text", "message"), BAD)
def test_a_value_that_breaks_a_rule_is_told_without_being_repeated(
    parameter: Parameter, text: str, message: str
) -> None:
    assert problem(parameter, text) == message
    assert "hunter" not in message
    with pytest.raises(UsageError) as caught:
        parse(parameter, text)
    assert caught.value.message == message


GOOD: list[tuple[Parameter, str, Scalar]] = [
    (REQUIRED, "hunter2 ", "hunter2 "),
    (_parameter(), "", ""),
    (_parameter(pattern="^a+$"), "", ""),
    (INTEGER, "+7", 7),
    (NUMBER, "7", 7),
    (NUMBER, "1.5e1", 15.0),
    (NUMBER, ".5", 0.5),
    (BOOLEAN, "Yes", True),
    (BOOLEAN, "off", False),
    (URL, "https://example.com:8080/x?y=z", "https://example.com:8080/x?y=z"),
    (URL, "sqlite:///x.db", "sqlite:///x.db"),
    (PATH, "/tmp", "/tmp"),
    (COLOUR, "red", "red"),
    (GITHUB, "ghp_" + "a" * 36, "ghp_" + "a" * 36),
]


@pytest.mark.parametrize(("parameter", "text", "value"), GOOD)
def test_a_good_value_is_read_in_its_type(parameter: Parameter, text: str, value: Scalar) -> None:
    assert parse(parameter, text) == value
    assert type(parse(parameter, text)) is type(value)


def test_a_pattern_that_would_hang_other_engines_is_answered() -> None:
    assert problem(_parameter(pattern="^(a+)+$"), "a" * 5_000 + "!") == "KEY must match the pattern ^(a+)+$"


def test_groups_do_not_make_a_pattern_slow() -> None:
    """With groups remembered this takes seconds; without, milliseconds."""
    started = time.process_time()

    assert problem(_parameter(pattern="(.*){1,50}" * 20), "aé" * 4_096) is None
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("pattern", ["^(?=a)b", r"(a)\1", "(", "a" * (MAX_PATTERN + 1), "\ud800"])
def test_a_pattern_that_nobody_can_match_in_linear_time_is_told_and_refuses_nothing(pattern: str) -> None:
    parameter = _parameter(pattern=pattern)

    assert problem(parameter, "anything") is None
    assert not_checked(parameter) == "the pattern of KEY is not checked here: no linear-time engine reads it"


def test_what_can_be_checked_is_not_talked_about() -> None:
    assert not_checked(GITHUB) is None
    assert not_checked(REQUIRED) is None


THERE = {"/file": PathKind.FILE, "/directory": PathKind.DIRECTORY, "/socket": PathKind.ANY}


@pytest.mark.parametrize(
    ("kind", "must_exist", "path", "message"),
    [
        (PathKind.ANY, True, "/socket", None),
        (PathKind.ANY, True, "/nothing", "KEY must be a path that exists"),
        (PathKind.FILE, False, "/nothing", None),
        (PathKind.FILE, False, "/file", None),
        (PathKind.FILE, False, "/directory", "KEY must be a file"),
        (PathKind.DIRECTORY, True, "/file", "KEY must be a directory"),
        (PathKind.DIRECTORY, True, "/socket", "KEY must be a directory"),
    ],
)
def test_a_path_is_held_to_what_is_there(
    kind: PathKind, must_exist: bool, path: str, message: str | None
) -> None:
    parameter = _parameter(ValueType.PATH, path_kind=kind, must_exist=must_exist)

    assert problem(parameter, path, look=THERE.get) == message
    assert problem(parameter, path) is None


def test_only_paths_are_looked_for() -> None:
    assert problem(REQUIRED, "/nothing", look=THERE.get) is None


def test_all_values_are_checked_at_once() -> None:
    several = Parameter("several", Binding(Where.ENV, "S"), ValueType.INTEGER, multiple=True, required=True)
    configuration = Configuration.of([REQUIRED, several])

    assert problems(configuration, {"KEY": "x", "several": ["1", "2"]}) == {}
    assert problems(configuration, {"KEY": ["x"], "several": [], "other": "x"}) == {
        "KEY": "KEY takes one value",
        "several": "several must have a value",
        "other": "other is not a parameter",
    }
    assert problems(configuration, {"several": ["1", "x"]}) == {"several": "several must be a whole number"}


@pytest.mark.parametrize(
    ("parameter", "value", "text"),
    [
        (BOOLEAN, True, "true"),
        (BOOLEAN, "No", "false"),
        (BOOLEAN, "ON", "true"),
        (BOOLEAN, "1", "1"),
        (BOOLEAN, "maybe", "maybe"),
        (NUMBER, 8080.0, "8080"),
        (NUMBER, 0.5, "0.5"),
        (NUMBER, 1e20, "1e+20"),
        (REQUIRED, "Yes", "Yes"),
    ],
)
def test_values_are_written_as_servers_read_them(parameter: Parameter, value: Scalar, text: str) -> None:
    assert written(parameter, value) == text
