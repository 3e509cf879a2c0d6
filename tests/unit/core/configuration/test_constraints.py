"""Rules across parameters, and the values and presets of a project, as `avow.toml` states them."""

import tomllib
from typing import Any

import pytest

from avow.core.configuration.checks import Value
from avow.core.configuration.constraints import Constraint, Rule, broken, read_constraints
from avow.core.configuration.model import Binding, Configuration, Parameter, Where
from avow.core.configuration.project import ProjectConfiguration, read_project
from avow.errors import UsageError


def _messages(rule: dict[str, Any], values: dict[str, Value]) -> list[str]:
    return [one.message for one in broken(read_constraints([rule], "constraints"), values)]


SAME = "a and b must differ"
EXACTLY = "a and b are a choice: give exactly one of them"
ONE = "a and b are a choice: give one of them at least"
CASES: dict[str, tuple[dict[str, Any], dict[str, Value], list[str]]] = {
    "differ": ({"differ": ["a", "b"]}, {"a": "/x", "b": "/y"}, []),
    "differ, not": ({"differ": ["a", "b"]}, {"a": "x", "b": "x"}, [SAME]),
    "differ, spelled otherwise": ({"differ": ["a", "b"]}, {"a": "/x/y/../", "b": "//x/."}, [SAME]),
    "differ, above": ({"differ": ["a", "b"]}, {"a": "/../x", "b": "/x"}, [SAME]),
    "differ, lists": ({"differ": ["a", "b"]}, {"a": ["/x", "/z"], "b": ["/z"]}, [SAME]),
    "differ, one": ({"differ": ["a", "b"]}, {"a": "x"}, []),
    "requires": ({"requires": {"a": "b"}}, {"a": "x", "b": "y"}, []),
    "requires, not": ({"requires": {"a": "b"}}, {"a": "x"}, ["b is needed as well where a is given"]),
    "requires more": (
        {"requires": {"a": ["b", "c"]}},
        {"a": "x", "b": ""},
        ["b and c are needed as well where a is given"],
    ),
    "requires, idle": ({"requires": {"a": ["b"]}}, {}, []),
    "one of": ({"one_of": ["a", "b"]}, {"a": "x"}, []),
    "one of, none": ({"one_of": ["a", "b"]}, {}, [EXACTLY]),
    "one of, both": ({"one_of": ["a", "b"]}, {"a": "x", "b": "x"}, [EXACTLY]),
    "any of": ({"any_of": ["a", "b"]}, {"a": "x", "b": "x"}, []),
    "any of, none": ({"any_of": ["a", "b"]}, {}, [ONE]),
    "together": ({"together": ["a", "b"]}, {}, []),
    "together, not": (
        {"together": ["a", "b", "c"]},
        {"a": "x"},
        ["b and c are needed as well where the others are given"],
    ),
    "apart": ({"never_together": ["a", "b"]}, {"a": "x"}, []),
    "apart, not": (
        {"never_together": ["a", "b", "c"]},
        {"a": "x", "b": "x", "c": "x"},
        ["a, b and c must not be given together"],
    ),
    "when": ({"any_of": ["a", "b"], "when": {"mode": True}}, {"mode": "true"}, [ONE]),
    "when not": ({"any_of": ["a", "b"], "when": {"mode": "remote"}}, {"mode": "local"}, []),
    "message": (
        {"differ": ["a", "b"], "message": "not\nonto itself"},
        {"a": "x", "b": "x"},
        ["not onto itself"],
    ),
    "two rules": ({"differ": ["a", "b"], "together": ["a", "b"]}, {"a": "x", "b": "x"}, [SAME]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_constraint_is_kept_or_told(name: str) -> None:
    rule, values, messages = CASES[name]

    assert _messages(rule, values) == messages


WRONG: dict[str, tuple[Any, str]] = {
    "no list": ({"differ": ["a", "b"]}, "constraints is not a list of tables"),
    "no table": ([5], "constraints is not a list of tables"),
    "unknown": ([{"differs": ["a", "b"]}], "'differs' is not possible in constraints"),
    "no rule": ([{"message": "x"}], "an entry of constraints has no rule"),
    "message": ([{"differ": ["a", "b"], "message": 5}], "message in constraints is not text"),
    "when": ([{"differ": ["a", "b"], "when": "x"}], "when in constraints is not a table of values"),
    "when what": (
        [{"differ": ["a", "b"], "when": {"a": []}}],
        "when in constraints is not a table of values",
    ),
    "keys": ([{"differ": "a"}], "differ in constraints is not a list of keys"),
    "a key": ([{"differ": ["a", 5]}], "differ in constraints is not a list of keys"),
    "one key": ([{"differ": ["a"]}], "differ in constraints needs two keys or more, each of them once"),
    "same key": ([{"differ": ["a", "a"]}], "differ in constraints needs two keys or more, each of them once"),
    "requires": ([{"requires": ["a", "b"]}], "requires in constraints is not a table"),
    "requires nothing": ([{"requires": {}}], "requires in constraints is not a table"),
    "requires none": ([{"requires": {"a": []}}], "requires in constraints needs a key, each of them once"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_does_not_exist_is_not_passed_over(name: str) -> None:
    rules, message = WRONG[name]

    with pytest.raises(UsageError) as caught:
        read_constraints(rules, "constraints")
    assert caught.value.message == message


SETTINGS = """
[servers.files]
registry = "io.github.owner/files"
preset = "development"

[servers.files.configuration]
LOG_LEVEL = "info"
PORT = 8080
roots = ["/srv/a", "/srv/b"]

[servers.files.presets.development]
LOG_LEVEL = "debug"
TRACE = true

[servers.files.presets.production]
PORT = 80

[[servers.files.constraints]]
differ = ["source-directory", "destination-directory"]
"""


def test_a_project_states_values_presets_and_constraints() -> None:
    files = read_project(tomllib.loads(SETTINGS)["servers"])["files"]

    roots = ("/srv/a", "/srv/b")
    assert files.constraints == (Constraint(Rule.DIFFER, ("source-directory", "destination-directory")),)
    assert files.values_in() == {"LOG_LEVEL": "debug", "PORT": "8080", "roots": roots, "TRACE": "true"}
    assert files.registry == "io.github.owner/files"
    assert files.values_in("production") == {"LOG_LEVEL": "info", "PORT": "80", "roots": roots}


@pytest.mark.parametrize(
    ("project", "hint"),
    [
        (ProjectConfiguration(), "the settings have none for this server"),
        (ProjectConfiguration(presets={"production": {}}), "possible are production"),
    ],
)
def test_a_preset_that_does_not_exist_is_an_error(project: ProjectConfiguration, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        project.values_in("test")
    assert (caught.value.message, caught.value.hint) == ("there is no preset 'test'", hint)


def test_a_project_that_says_nothing_has_no_values() -> None:
    assert read_project({"files": {}}) == {"files": ProjectConfiguration()}
    assert ProjectConfiguration().values_in() == {}


def test_a_declared_secret_in_the_file_is_found() -> None:
    project = ProjectConfiguration({"PIN": "1", "LEVEL": "2"}, {"test": {"PHRASE": "3", "OTHER": "4"}})
    configuration = Configuration.of(
        Parameter(name, Binding(Where.ENV, name), secret=name != "LEVEL")
        for name in ("PIN", "PHRASE", "LEVEL")
    )

    assert project.secrets(configuration) == ("PIN", "PHRASE")


PLACE = "servers.x.configuration"
BAD: dict[str, tuple[Any, str]] = {
    "no table": (5, "servers is not a table"),
    "no server": ({"x": 5}, "servers.x is not a table"),
    "unknown": ({"x": {"values": {}}}, "'values' is not possible in servers.x"),
    "preset": ({"x": {"preset": "test"}}, "preset in servers.x is not the name of one of its presets"),
    "registry": ({"x": {"registry": 5}}, "registry in servers.x is not a name"),
    "preset type": ({"x": {"preset": 5}}, "preset in servers.x is not the name of one of its presets"),
    "value": ({"x": {"configuration": {"A": {}}}}, f"A in {PLACE} is neither a value nor a list of values"),
    "values": (
        {"x": {"configuration": {"A": [[]]}}},
        f"A in {PLACE} is neither a value nor a list of values",
    ),
    "secret by name": (
        {"x": {"configuration": {"API_TOKEN": "x"}}},
        f"API_TOKEN in {PLACE} looks like a secret, and this file is shared",
    ),
    "secret by shape": (
        {"x": {"configuration": {"A": ["ok", "ghp_" + "a1B2" * 9]}}},
        f"A in {PLACE} looks like a secret, and this file is shared",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_makes_no_sense_or_is_a_secret_is_refused(name: str) -> None:
    data, message = BAD[name]

    with pytest.raises(UsageError) as caught:
        read_project(data)
    assert caught.value.message == message
