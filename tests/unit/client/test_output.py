"""What tools return is checked as the SDK checks it, except that no pattern can take for ever."""

import time
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


def check(schema: Any, content: Any = ..., name: str = "echo") -> list[str]:
    """Check a result of a tool with this output schema; which tools the SDK was asked about instead."""
    tool = ECHO if schema is ... else {**ECHO, "outputSchema": schema}
    gate = Gate(Contract.from_entry(entry(signature(tools=[tool]))), GatePolicy(), "demo")
    asked: list[str] = []

    async def otherwise(name: str, result: CallToolResult) -> None:
        asked.append(name)

    members = {} if content is ... else {"structured_content": content}
    anyio.run(OutputChecks(gate, otherwise).validate, name, CallToolResult(content=[], **members))
    return asked


def test_a_result_that_fits_passes_without_the_sdk() -> None:
    assert check(SCHEMA, {"text": "aa"}) == []
    assert check(...) == []


@pytest.mark.parametrize("content", [{"text": "b"}, {"text": 5}, {}, {"text": "a" * 5000 + "!"}])
def test_one_that_does_not_is_an_error_soon(content: Any) -> None:
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="Invalid structured content returned by tool echo"):
        check(SCHEMA, content)
    assert time.monotonic() - started < 2


def test_a_result_without_content_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="did not return structured content"):
        check(SCHEMA)


def test_tools_that_nobody_approved_are_the_sdks() -> None:
    assert check(SCHEMA, {"text": "aa"}, name="another") == ["another"]


def test_what_is_no_object_is_the_sdks_unless_it_could_take_for_ever() -> None:
    assert check({"type": "array"}, [1]) == ["echo"]
    with pytest.raises(RuntimeError, match="bounded time"):
        check({"type": "array", "items": {"pattern": "(a+)+$"}}, ["a" * 50])


def test_what_cannot_be_compiled_is_an_error_and_not_left_to_the_sdk() -> None:
    """Each definition refers to the next one twice: the SDK would follow all of the ways."""
    twice = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}
    bomb = {"type": "object", "$ref": "#/$defs/a0", "$defs": {**twice, "a40": {"type": "object"}}}
    for schema in ({"type": "nonsense"}, bomb):
        with pytest.raises(RuntimeError, match="bounded time"):
            check(schema, {})
