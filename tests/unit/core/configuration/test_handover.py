"""How values reach a server: each in its place, as a list, and nothing that nobody asked for."""

from dataclasses import replace
from typing import Any

import pytest

from avow.core.configuration.handover import fill
from avow.core.configuration.model import Binding, Configuration, Parameter, Style, ValueType, Where
from avow.core.configuration.values import Value, apply
from avow.errors import UsageError


def _argument(key: str, name: str = "", **more: Any) -> Parameter:
    inner = {
        field: more.pop(field)
        for field in ("order", "joiner", "repeat", "runtime", "template")
        if field in more
    }
    style = Style.NAMED if name else Style.POSITIONAL
    return Parameter(key, Binding(Where.ARGUMENT, name or key, style, **inner), **more)


def _variable(name: str, **more: Any) -> Parameter:
    return Parameter(name, Binding(Where.ENV, name), **more)


ARGUMENTS: dict[str, tuple[Parameter, Value, list[str]]] = {
    "positional": (_argument("a"), "x y; rm", ["x y; rm"]),
    "several": (_argument("a", multiple=True), ["/x", "/y"], ["/x", "/y"]),
    "named": (_argument("a", "--a"), "x", ["--a", "x"]),
    "named, negative": (_argument("a", "--a", type=ValueType.NUMBER), "-1", ["--a", "-1"]),
    "with equals": (_argument("a", "--a", joiner="="), "x", ["--a=x"]),
    "attached": (_argument("a", "-a", joiner=""), "x", ["-ax"]),
    "one flag": (_argument("a", "--a", multiple=True), ["x", "y"], ["--a", "x", "y"]),
    "repeated": (_argument("a", "--a", multiple=True, repeat=True), ["x", "y"], ["--a", "x", "--a", "y"]),
    "none": (_argument("a", "--a", multiple=True), [], []),
    "alone": (_argument("a", "--a", fixed=""), "", ["--a"]),
    "alone, repeated": (_argument("a", "--a", fixed="", joiner="="), "", ["--a"]),
    "switch on": (_argument("a", "--a", type=ValueType.BOOLEAN, joiner=""), "yes", ["--a"]),
    "switch off": (_argument("a", "--a", type=ValueType.BOOLEAN, joiner=""), "false", []),
    "boolean": (_argument("a", "--a", type=ValueType.BOOLEAN), "off", ["--a", "false"]),
    "template": (_argument("a", template="--dir={}"), "x", ["--dir=x"]),
    "template of ours": (_argument("a", template="-D{}"), "x", ["-Dx"]),
    "fixed": (_argument("a", fixed="-y"), "", ["-y"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_are_a_list(name: str) -> None:
    parameter, value, arguments = ARGUMENTS[name]

    assert apply(Configuration.of([parameter]), {"a": value}).arguments == arguments


def test_a_positional_value_is_never_a_flag() -> None:
    with pytest.raises(UsageError) as caught:
        apply(Configuration.of([_argument("a")]), {"a": "--hunter2"})

    assert caught.value.message == "a must not begin with '-', or the server takes it for a flag"


def test_arguments_stand_in_their_order_and_those_for_the_runtime_apart() -> None:
    configuration = Configuration.of(
        [_argument("last", order=7), _argument("first", order=2), _argument("image", runtime=True)]
    )

    applied = apply(configuration, {"last": "z", "first": "a", "image": "i"})

    assert (applied.arguments, applied.runtime_arguments) == (["a", "z"], ["i"])


def test_every_kind_of_place_gets_its_value() -> None:
    configuration = Configuration.of(
        [
            Parameter("token", Binding(Where.HEADER, "Authorization", template="Bearer {}")),
            Parameter("region", Binding(Where.URL_VARIABLE, "region"), also=(Binding(Where.ENV, "REGION"),)),
            _variable("TAGS", multiple=True),
            _variable("DIRS", multiple=True, separator=":"),
            Parameter("settings", Binding(Where.FILE, "settings.json")),
            Parameter("elsewhere", Binding(Where.OTHER, "elsewhere")),
            _argument("--api-key", "--api-key"),
        ]
    )
    values: dict[str, Value] = {
        "token": "{}",
        "region": "eu",
        "TAGS": ["a", "b"],
        "DIRS": ["a", "b"],
        "settings": "x",
        "elsewhere": "y",
        "--api-key": "hunter2",
    }

    applied = apply(configuration, values)

    assert applied.headers == {"Authorization": "Bearer {}"}
    assert applied.url_variables == {"region": "eu"}
    assert applied.env == {"REGION": "eu", "TAGS": "a,b", "DIRS": "a:b"}
    assert applied.unplaced == ("settings", "elsewhere")
    assert applied.exposed == ("--api-key",)
    assert "hunter2" not in repr(applied)


def test_a_template_of_several_parts_is_filled_when_all_are_there() -> None:
    shared = Binding(Where.ENV, "DSN", template="{user}:{password}@{host}")
    configuration = Configuration.of(
        Parameter(part, replace(shared, part=part)) for part in ("user", "password")
    )

    assert apply(configuration, {"user": "me", "password": "{user}"}).env == {"DSN": "me:{user}@{host}"}
    assert apply(configuration, {"user": "me"}).env == {}


@pytest.mark.parametrize(
    ("template", "filled"), [("", ""), ("{a", "{a"), ("{{a}}", "{1}"), ("{a}{b}{a}", "1{b}1"), ("a}", "a}")]
)
def test_a_template_is_filled_in_one_pass(template: str, filled: str) -> None:
    assert fill(template, {"a": "1"}) == filled


def test_defaults_are_used_and_risky_ones_are_not() -> None:
    configuration = Configuration.of(
        [
            _variable("PORT", default=8080, type=ValueType.NUMBER),
            _variable("ROOT", default="/"),
            _variable("LD_PRELOAD", default="x.so"),
            _argument("tags", default=("a", "b"), multiple=True),
        ]
    )

    applied = apply(configuration, {})
    insisting = apply(configuration, {}, insisted={"ROOT", "LD_PRELOAD"})

    assert (applied.env, applied.arguments) == ({"PORT": "8080"}, ["a", "b"])
    assert insisting.env == {"PORT": "8080", "ROOT": "/", "LD_PRELOAD": "x.so"}


@pytest.mark.parametrize("fixed", [None, "--require ./evil.js"])
def test_a_variable_that_decides_what_runs_is_refused_unless_somebody_insists(fixed: str | None) -> None:
    configuration = Configuration.of([_variable("NODE_OPTIONS", fixed=fixed)])
    values = {} if fixed else {"NODE_OPTIONS": "--inspect"}

    with pytest.raises(UsageError) as caught:
        apply(configuration, values)
    assert caught.value.message.startswith("NODE_OPTIONS decides which code runs")
    assert set(apply(configuration, values, insisted={"NODE_OPTIONS"}).env) == {"NODE_OPTIONS"}


def test_a_value_that_breaks_a_rule_goes_nowhere() -> None:
    with pytest.raises(UsageError) as caught:
        apply(Configuration.of([_variable("A"), _variable("B")]), {"A": "x\n", "B": "\0", "C": ""})

    assert caught.value.message == (
        "A must not contain line breaks or NUL; B must not contain line breaks or NUL; C is not a parameter"
    )


@pytest.mark.parametrize(
    "parameter",
    [
        _argument("a", default="${AWS_SECRET_ACCESS_KEY}"),
        _argument("a", "--a", fixed="x${TOKEN}"),
        _argument("a", "--a=${TOKEN}", default="x"),
        Parameter("a", Binding(Where.URL_VARIABLE, "a"), default="${TOKEN}"),
        Parameter("a", Binding(Where.HEADER, "A", template="Bearer ${TOKEN}{}"), default="x"),
    ],
)
def test_a_declaration_cannot_reach_for_a_variable_of_ours(parameter: Parameter) -> None:
    """Whoever starts a server fills `${NAME}` in; a declared default must not get anything that way."""
    with pytest.raises(UsageError, match="a variable of yours would be filled in"):
        apply(Configuration.of([parameter]), {})


def test_a_dollar_sign_alone_is_nothing_special() -> None:
    assert apply(Configuration.of([_argument("a")]), {"a": "$HOME and {this}"}).arguments == [
        "$HOME and {this}"
    ]
