"""Import, export, import is the identity, minus exactly what the exporter listed; and it lists no more."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings

from avow.core.configuration import wire
from avow.core.configuration.exported import GROUPS, Exported, Lost, ranked
from avow.core.configuration.formats import mcpb, server_json, smithery, vscode
from avow.core.configuration.model import Configuration, Parameter
from configuration_strategies import configurations


@dataclass(frozen=True)
class Format:
    """One way to declare a configuration."""

    read: Callable[[Any], Configuration]
    write: Callable[[Configuration], Exported]


FORMATS = {
    "configurationSchema": Format(wire.read_schema, wire.write_schema),
    "server.json": Format(server_json.read, server_json.write),
    "manifest.json": Format(mcpb.read, mcpb.write),
    "smithery": Format(smithery.read, smithery.write),
    "mcp.json": Format(lambda document: vscode.read(document, "x"), lambda one: vscode.write(one, "x")),
}


def remainder(configuration: Configuration, lost: tuple[Lost, ...]) -> Configuration:
    """What is left of a configuration when everything that was listed is taken out of it."""
    gone = {one.key for one in lost if not one.field}
    kept = ranked(Configuration.of(one for one in configuration if one.key not in gone))
    result = dict(kept.parameters)
    for one in lost:
        if one.key in result and one.field:
            result[one.key] = _without(result[one.key], one)
    groups = next((one.instead for one in lost if one.key == GROUPS), configuration.groups)
    return Configuration.of(result.values(), groups)  # type: ignore[arg-type]


def _without(parameter: Parameter, lost: Lost) -> Parameter:
    of_binding = lost.field.removeprefix("binding.")
    if of_binding != lost.field:
        return replace(parameter, binding=replace(parameter.binding, **{of_binding: lost.instead}))  # type: ignore[arg-type]
    return replace(parameter, **{lost.field: lost.instead})  # type: ignore[arg-type]


def said(configuration: Configuration) -> dict[str, Parameter]:
    """The parameters, apart from where they were found."""
    source = Parameter("", Any).source  # type: ignore[arg-type]
    return {one.key: replace(one, source=source) for one in ranked(configuration)}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=50, deadline=None)
@given(configuration=configurations())
def test_what_is_read_back_is_what_was_written_minus_what_was_listed(
    name: str, configuration: Configuration
) -> None:
    """And what a format has held once, it holds for good."""
    form = FORMATS[name]

    exported = form.write(configuration)
    again = form.read(exported.document)

    left = remainder(configuration, exported.lost)
    assert said(again) == said(left)
    assert again.groups == left.groups
    assert form.write(again).lost == ()
