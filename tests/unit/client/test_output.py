"""What tools return is checked as the SDK checks it, except that no pattern can take for ever."""

import time
from contextlib import suppress
from typing import Any

import anyio
import pytest
from mcp_types import CallToolResult

from avow.client.output import OutputChecks
from avow.core.contract import Contract
from avow.protocol.gate import Gate, GatePolicy
from conversations import ECHO, entry, signature

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string", "pattern": "^(a|a)*$"}},
    "required": ["text"],
}


def check(schema: Any, content: Any = ..., name: str = "echo") -> None:
    """Check a result of a tool with this output schema, in the contract or, as `another`, in a list."""
    tool = ECHO if schema is ... else {**ECHO, "outputSchema": schema}
    gate = Gate(Contract.from_entry(entry(signature(tools=[tool]))), GatePolicy(), "demo")

    async def listed(name: str) -> Any:
        return schema if name == "another" else None

    members = {} if content is ... else {"structured_content": content}
    anyio.run(OutputChecks(gate, listed).validate, name, CallToolResult(content=[], **members))


def test_a_result_that_fits_passes() -> None:
    check(SCHEMA, {"text": "aa"})
    check(...)


@pytest.mark.parametrize("content", [{"text": "b"}, {"text": 5}, {}, {"text": "a" * 5000 + "!"}])
def test_one_that_does_not_is_an_error_soon(content: Any) -> None:
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="Invalid structured content returned by tool echo"):
        check(SCHEMA, content)
    assert time.monotonic() - started < 2


def test_a_result_without_content_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="did not return structured content"):
        check(SCHEMA)


def test_tools_outside_the_contract_are_held_to_the_servers_list_as_soon() -> None:
    check(SCHEMA, {"text": "aa"}, name="another")
    check(SCHEMA, {"text": 5}, name="unlisted")
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="Invalid structured content returned by tool another: /text"):
        check(SCHEMA, {"text": "a" * 40 + "!"}, name="another")
    assert time.monotonic() - started < 2


TREE: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "array",
    "items": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}]},
    "$defs": {"leaf": {"type": "string", "pattern": "^(a+)+$"}},
}


def nested(leaf: Any, depth: int) -> Any:
    return [nested(leaf, depth - 1)] if depth else leaf


def test_what_is_no_object_is_checked_too() -> None:
    check({"type": "array"}, [1])
    check({"type": ["string", "null"]}, None)
    check(TREE, ["a", ["aa"]])
    with pytest.raises(RuntimeError, match="tool echo: the content: type"):
        check({"type": "array"}, "x")
    with pytest.raises(RuntimeError, match="tool echo: /1: maximum"):
        check({"items": {"maximum": 3}}, [1, 4])


@pytest.mark.parametrize("content", [["a" * 50 + "!"], nested("b", 40), nested("a", 40)])
def test_and_takes_no_longer(content: Any) -> None:
    """Each level of the content is looked at twice by whoever does not remember."""
    started = time.monotonic()
    with suppress(RuntimeError):
        check(TREE, content)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("word", ["$recursiveRef", "$dynamicRef"])
def test_nothing_is_guessed_about_references_to_whatever_is_outermost(word: str) -> None:
    with pytest.raises(RuntimeError, match="bounded time"):
        check({"items": {word: "#"}}, [[]])


def test_what_cannot_be_compiled_is_an_error_and_not_left_to_the_sdk() -> None:
    """Each definition refers to the next one twice: the SDK would follow all of the ways."""
    twice = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}
    bomb = {"type": "object", "$ref": "#/$defs/a0", "$defs": {**twice, "a40": {"type": "object"}}}
    for schema in ({"type": "nonsense"}, bomb):
        with pytest.raises(RuntimeError, match="bounded time"):
            check(schema, {})
