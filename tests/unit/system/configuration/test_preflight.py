"""May a server start? Everything that is missing is named at once, and nothing that is secret is repeated."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from avow.core.configuration.constraints import Constraint, Rule
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
from avow.core.configuration.project import ProjectConfiguration
from avow.core.target import HttpTarget, StdioTarget
from avow.system.configuration.identity import identify
from avow.system.configuration.known import known_needs
from avow.system.configuration.preflight import (
    ConfigurationNeededError,
    Ready,
    as_far_as_known,
    preflight,
)
from avow.system.configuration.remembered import Answers, save
from avow.system.configuration.starting import Start, filled, gather, prepare
from avow.system.configuration.values import Sources, resolve
from avow.system.secret_store import open_store

FILES = StdioTarget("files-server")
SECRET = "tok-0123456789-abcdef"
TOKEN = Parameter("FOO_TOKEN", Binding(Where.ENV, "FOO_TOKEN"), required=True)
USER = Parameter("USER_NAME", Binding(Where.ENV, "USER_NAME"))
KEY = Parameter("api-key", Binding(Where.ARGUMENT, "--api-key", Style.NAMED))
PORT = Parameter("PORT", Binding(Where.ENV, "PORT"), type=ValueType.INTEGER, minimum=1)


def judged(
    *parameters: Parameter,
    groups: tuple[Group, ...] = (),
    constraints: tuple[Constraint, ...] = (),
    **flags: Any,
) -> Ready | ConfigurationNeededError:
    known = replace(
        known_needs("files", FILES),
        configuration=Configuration.of(parameters, groups),
        project=ProjectConfiguration(constraints=constraints),
    )
    return preflight(known, resolve(known, Sources(flags)))


def refused(*parameters: Parameter, **more: Any) -> ConfigurationNeededError:
    found = judged(*parameters, **more)
    assert isinstance(found, ConfigurationNeededError)
    return found


def test_everything_missing_is_named_at_once() -> None:
    directory = Parameter("directory", Binding(Where.ARGUMENT, "directory"), required=True)
    error = refused(TOKEN, directory)

    assert error.message == "files cannot start: FOO_TOKEN and directory are not set"
    assert error.hint == "run `avow configure files`, or pass it with -e FOO_TOKEN=..."
    assert error.data == {
        "avow": {
            "reason": "configuration",
            "server": "files",
            "missing": [
                {"name": "FOO_TOKEN", "kind": "env", "sensitive": True},
                {"name": "directory", "kind": "argument", "sensitive": False},
            ],
            "next": "avow configure files",
        }
    }


def test_of_several_ways_one_has_to_be_given_and_only_one() -> None:
    groups = (Group(GroupRule.ONE_OF, (("FOO_TOKEN",), ("USER_NAME", "api-key"))),)
    parameters = (replace(TOKEN, required=False), USER, KEY)

    assert "one of these has to be set: FOO_TOKEN, or USER_NAME and api-key" in (
        refused(*parameters, groups=groups).message
    )
    both = {"FOO_TOKEN": SECRET, "USER_NAME": "me", "api-key": SECRET}
    error = refused(*parameters, groups=groups, **both)
    assert error.violated == ("only one of these may be set: FOO_TOKEN, or USER_NAME and api-key",)
    assert isinstance(judged(*parameters, groups=groups, FOO_TOKEN=SECRET), Ready)


def test_a_value_that_breaks_a_rule_is_named_and_not_repeated() -> None:
    error = refused(PORT, PORT="0-and-a-secret")

    assert error.message == "files cannot start: PORT must be a whole number"
    assert error.data["avow"]["invalid"] == [
        {"name": "PORT", "kind": "env", "sensitive": False, "rule": "PORT must be a whole number"}
    ]


def test_a_path_is_looked_at(tmp_path: Path) -> None:
    where = Parameter(
        "root",
        Binding(Where.ARGUMENT, "root"),
        type=ValueType.PATH,
        path_kind=PathKind.DIRECTORY,
        must_exist=True,
    )
    (tmp_path / "file").write_text("")

    assert isinstance(judged(where, root=str(tmp_path)), Ready)
    assert "must be a directory" in refused(where, root=str(tmp_path / "file")).message
    assert "that exists" in refused(where, root=str(tmp_path / "nothing")).message


def test_what_a_person_puts_into_a_file_is_not_ours_to_miss() -> None:
    """Nobody could tell whether it is there, and a server that has it must start."""
    other = Parameter("credentials.json", Binding(Where.OTHER, "credentials.json"), required=True)

    assert isinstance(judged(other), Ready)


def test_a_constraint_of_the_project_is_kept() -> None:
    rule = Constraint(Rule.DIFFER, ("FOO_TOKEN", "USER_NAME"), message="these must differ")

    error = refused(TOKEN, USER, constraints=(rule,), FOO_TOKEN="same", USER_NAME="same")

    assert error.violated == ("these must differ",)
    assert error.data["avow"]["violated"] == ["these must differ"]
    assert isinstance(judged(TOKEN, USER, constraints=(rule,), FOO_TOKEN="a", USER_NAME="b"), Ready)


def test_values_reach_their_places_and_show_nowhere() -> None:
    header = Parameter("X-Key", Binding(Where.HEADER, "X-Key"), secret=True)
    tenant = Parameter("tenant", Binding(Where.URL_VARIABLE, "tenant"))

    given: dict[str, Any] = {"FOO_TOKEN": SECRET, "api-key": SECRET, "X-Key": SECRET, "tenant": "acme"}
    ready = judged(TOKEN, KEY, header, tenant, **given)

    assert isinstance(ready, Ready)
    assert ready.environment == {"FOO_TOKEN": SECRET}
    assert ready.arguments == ("--api-key", SECRET)
    assert ready.headers == {"X-Key": SECRET}
    assert ready.url_variables == {"tenant": "acme"}
    assert set(ready.secrets) == {"FOO_TOKEN", "api-key", "X-Key"}
    assert SECRET not in repr(ready)


def test_a_fixed_variable_of_a_loader_keeps_the_server_from_starting() -> None:
    hostile = Parameter("NODE_OPTIONS", Binding(Where.ENV, "NODE_OPTIONS"), fixed="--require=/tmp/x.js")

    error = refused(hostile)

    assert "decides which code runs" in error.message


def test_whoever_looks_gets_as_far_as_there_is_something() -> None:
    known = replace(known_needs("files", FILES), configuration=Configuration.of([TOKEN, USER]))
    incomplete = resolve(known, Sources({"USER_NAME": "me"}))
    broken = resolve(known, Sources({"USER_NAME": "a\nb"}))

    assert as_far_as_known(known, incomplete).environment == {"USER_NAME": "me"}
    assert as_far_as_known(known, broken) == Ready()


def test_words_of_a_declaration_cannot_write_to_a_terminal() -> None:
    hostile = Parameter("x\x1b[2J\u202e", Binding(Where.ARGUMENT, "x\x1b[2J\u202e"), required=True)

    assert refused(hostile).message.isprintable()


def test_a_server_with_nothing_to_tell_it_is_not_held_up() -> None:
    assert prepare(Start("files", FILES), {}) is None
    assert gather(Start("files", FILES), {}) is None
    assert prepare(Start("files", StdioTarget("x", env=("A",))), {"A": "1"}) is None


def test_a_start_finds_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    target = StdioTarget("files-server", env=("FOO_TOKEN",))
    missing = prepare(Start("files", target), {})
    save(
        identify("files", target),
        Configuration.of([TOKEN, KEY]),
        Answers((), {"FOO_TOKEN": SECRET, "api-key": "k-1"}),
        open_store(),
    )

    ready = prepare(Start("files", target), {})

    assert isinstance(missing, ConfigurationNeededError)
    assert isinstance(ready, Ready)
    assert ready.environment == {"FOO_TOKEN": SECRET}
    assert filled(target, ready) == replace(target, args=("--api-key", "k-1"))
    found = gather(Start("files", target), {})
    assert found is not None
    assert found.environment == {"FOO_TOKEN": SECRET}


def test_arguments_stand_where_they_belong() -> None:
    npx = StdioTarget("npx", ("-y", "server", "/data"))
    ready = Ready(arguments=("--verbose",), runtime_arguments=("--quiet",))
    remote = HttpTarget("https://{tenant}.example/mcp")

    assert filled(npx, ready) == StdioTarget("npx", ("-y", "--quiet", "server", "/data", "--verbose"))
    assert filled(StdioTarget("server"), ready) == StdioTarget("server", ("--quiet", "--verbose"))
    assert filled(remote, Ready(url_variables={"tenant": "acme"})).url == "https://acme.example/mcp"  # type: ignore[union-attr]
    assert filled(npx, None) is npx
    assert filled(remote, ready) is remote
