"""Declarations come from strangers: reading one gives a configuration or our error; values stay unsaid."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.canonical import JsonValue
from avow.core.configuration.formats import mcpb, server_json, smithery, vscode
from avow.core.configuration.model import Configuration
from avow.core.configuration.values import apply, problem
from avow.core.configuration.wire import read_schema, write_schema
from avow.errors import AvowError, DeclarationError
from configuration_strategies import configurations, parameters
from strategies import documents

# Members that mean something, so that more than the first check is reached.
_WORDS = st.sampled_from(
    [
        *("environmentVariables", "arguments", "other", "name", "type", "description", "required", "default"),
        *(
            "packages",
            "packageArguments",
            "remotes",
            "headers",
            "variables",
            "value",
            "{a}",
            "a",
            "transport",
        ),
        *("user_config", "server", "mcp_config", "args", "env", "${user_config.a}", "${input:a}", "servers"),
        *(
            "properties",
            "anyOf",
            "oneOf",
            "items",
            "enum",
            "const",
            "inputs",
            "id",
            "options",
            "promptString",
        ),
        *(
            "string",
            "number",
            "boolean",
            "path",
            "object",
            "array",
            "named",
            "positional",
            "A",
            "--a",
            "x-from",
            "examples",
        ),
    ]
)
_VALUES: Any = documents(_WORDS, st.integers(-5, 5), keys=_WORDS)

READERS: dict[str, Callable[[JsonValue], Configuration]] = {
    "configurationSchema": read_schema,
    "server.json": server_json.read,
    "manifest.json": mcpb.read,
    "smithery": smithery.read,
    "mcp.json": lambda value: vscode.read(value, "a"),
}


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=50, deadline=None)
@given(value=_VALUES)
def test_a_reader_lets_only_our_errors_out(name: str, value: JsonValue) -> None:
    with suppress(DeclarationError):
        assert isinstance(READERS[name](value), Configuration)


@settings(max_examples=50, deadline=None)
@given(configurations())
def test_what_was_declared_once_can_be_declared_again(configuration: Configuration) -> None:
    document = write_schema(configuration).document

    assert write_schema(read_schema(document)).document == document


@settings(max_examples=50, deadline=None)
@given(parameters(), st.text("hunter2\n\x00-", min_size=6, max_size=20))
def test_a_message_never_repeats_a_value(parameter: Any, value: str) -> None:
    """Nor does the error of handing it over."""
    message = problem(parameter, value) or ""
    try:
        apply(Configuration.of([parameter]), {parameter.key: value}, insisted={parameter.key})
    except AvowError as error:
        message += error.message + error.hint

    assert value not in message
