"""The table of the documentation: what each format can say, and what it cannot."""

from collections.abc import Callable
from typing import Any

import pytest

from avow.core.configuration.exported import Exported
from avow.core.configuration.formats import mcpb, server_json, smithery, vscode
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
from avow.core.configuration.wire import write_schema

WRITERS: dict[str, Callable[[Configuration], Exported]] = {
    "wire": write_schema,
    "registry": server_json.write,
    "bundle": mcpb.write,
    "smithery": smithery.write,
    "vscode": lambda configuration: vscode.write(configuration, "x"),
}
VARIABLE = Binding(Where.ENV, "A")


def _one(binding: Binding = VARIABLE, **more: Any) -> Configuration:
    # Asked for: VS Code asks for everything that has no default.
    return Configuration.of([Parameter("A", binding, **{"required": True, **more})])


# Of each thing to say: a configuration that says it, the fields it is in, and the formats that hold it.
HELD: dict[str, tuple[Configuration, tuple[str, ...], set[str]]] = {
    "title": (_one(title="T", description="D"), ("title",), {"bundle", "smithery"}),
    "variable": (_one(), ("binding",), {"wire", "registry", "bundle", "vscode"}),
    "positional": (
        _one(Binding(Where.ARGUMENT, "A")),
        ("binding",),
        {"wire", "registry", "bundle", "vscode"},
    ),
    "flag": (
        _one(Binding(Where.ARGUMENT, "--a", Style.NAMED)),
        ("binding",),
        {"wire", "registry", "bundle", "vscode"},
    ),
    "runtime": (_one(Binding(Where.ARGUMENT, "A", runtime=True)), ("binding",), {"registry"}),
    "header": (_one(Binding(Where.HEADER, "A")), ("binding",), {"registry", "smithery", "vscode"}),
    "address": (_one(Binding(Where.URL_VARIABLE, "A")), ("binding", ""), {"registry", "smithery"}),
    "two places": (_one(also=(Binding(Where.ENV, "B"),)), ("also",), {"bundle", "vscode"}),
    "text around": (
        _one(Binding(Where.ENV, "A", template="x{}")),
        ("binding",),
        {"registry", "bundle", "vscode"},
    ),
    "number": (_one(type=ValueType.NUMBER), ("type",), {"wire", "registry", "bundle", "smithery"}),
    "boolean": (_one(type=ValueType.BOOLEAN), ("type",), {"wire", "registry", "bundle", "smithery"}),
    "integer": (_one(type=ValueType.INTEGER), ("type",), {"smithery"}),
    "path": (_one(type=ValueType.PATH), ("type",), {"wire", "registry", "smithery"}),
    "directory": (
        _one(type=ValueType.PATH, path_kind=PathKind.DIRECTORY),
        ("type", "path_kind"),
        {"bundle", "smithery"},
    ),
    "url": (_one(type=ValueType.URL), ("type",), {"wire", "smithery"}),
    "optional": (_one(required=False), ("required",), {"wire", "registry", "bundle", "smithery"}),
    "secret": (_one(secret=True), ("secret",), {*WRITERS}),
    "default": (_one(default="x", required=False), ("default",), {*WRITERS}),
    "fixed": (_one(fixed="x", required=False), ("fixed", ""), {"registry", "bundle", "smithery"}),
    "choices": (
        _one(type=ValueType.ENUM, choices=("x",)),
        ("choices", "type"),
        {"registry", "smithery", "vscode"},
    ),
    "several": (_one(multiple=True), ("multiple",), {"wire", "bundle", "smithery"}),
    "bounds": (
        _one(type=ValueType.NUMBER, minimum=1, maximum=2),
        ("minimum", "maximum"),
        {"bundle", "smithery"},
    ),
    "pattern": (_one(pattern="^x"), ("pattern",), {"wire", "smithery"}),
    "example": (_one(examples=("x",)), ("examples",), {"wire", "registry", "smithery"}),
    "examples": (_one(examples=("x", "y")), ("examples",), {"wire", "smithery"}),
    "groups": (
        Configuration(_one().parameters, (Group(GroupRule.ANY_OF, (("A",),)),)),
        ("groups",),
        {"smithery"},
    ),
    "separator": (_one(multiple=True, separator=":"), ("separator",), set()),
    "help link": (_one(help_url="https://a.example"), ("help_url",), set()),
    "other names": (_one(aliases=("B",)), ("aliases",), set()),
    "must exist": (_one(type=ValueType.PATH, must_exist=True), ("must_exist",), set()),
}


@pytest.mark.parametrize("thing", HELD)
def test_the_formats_hold_what_the_documentation_says(thing: str) -> None:
    configuration, fields, formats = HELD[thing]

    held = {
        name
        for name, write in WRITERS.items()
        if not any(lost.field.partition(".")[0] in fields for lost in write(configuration).lost)
    }

    assert held == formats
