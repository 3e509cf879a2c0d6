"""Arguments in headers: declared by the approved schema, and the same as in the body."""

import json
from typing import Any

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.proxy.gateway.parameters import Parameters

PROPERTIES: dict[str, Any] = {
    "region": {"type": "string", "x-mcp-header": "Region"},
    "count": {"type": "integer", "x-mcp-header": "Count"},
    "sure": {"type": "boolean", "x-mcp-header": "Sure"},
    "inner": {"type": "object", "properties": {"deep": {"type": "string", "x-mcp-header": "Deep"}}},
    "one": {"type": "string", "x-mcp-header": "Same"},
    "two": {"type": "string", "x-mcp-header": "same"},
    "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "Item"}},
    "odd": True,
}
TOOL = {"name": "query", "inputSchema": {"type": "object", "properties": PROPERTIES}}
CONTRACT = Contract.from_signature(Signature.of([Capability.read(Kind.TOOL, TOOL)]), ContractSource.DECLARED)
TRACE = (b"traceparent", b"t")


def line(name: str = "query", method: str = "tools/call", **arguments: Any) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


@pytest.mark.parametrize(
    ("header", "value", "arguments"),
    [
        (b"region", b"eu", {"region": "eu"}),
        (b"region", b"=?base64?ZXU=?=", {"region": "eu"}),
        (b"region", b"=?base64?w7w=?=", {"region": "\u00fc"}),
        (b"count", b"42", {"count": 42}),
        (b"count", b"42", {"count": 42.0}),
        (b"sure", b"true", {"sure": True}),
        (b"deep", b"x", {"inner": {"deep": "x"}}),
    ],
)
def test_what_the_body_says_too_goes_on(header: bytes, value: bytes, arguments: dict[str, Any]) -> None:
    given = (TRACE, (b"mcp-param-" + header, value))

    assert Parameters(CONTRACT).passed(line(**arguments), given) == given


@pytest.mark.parametrize(
    ("header", "value", "arguments"),
    [
        (b"region", b"us", {"region": "eu"}),
        (b"region", b"eu", {}),
        (b"region", b"null", {"region": None}),
        (b"region", b"=?base64?ZXU=?=", {"region": "=?base64?ZXU=?="}),
        (b"count", b"1", {"count": True}),
        (b"deep", b"x", {"inner": "x"}),
        (b"region", b"[]", {"region": []}),
    ],
)
def test_what_contradicts_the_body_is_refused(header: bytes, value: bytes, arguments: dict[str, Any]) -> None:
    assert Parameters(CONTRACT).passed(line(**arguments), ((b"mcp-param-" + header, value),)) is None


@pytest.mark.parametrize("header", [b"other", b"same", b"item"])
def test_what_the_schema_does_not_declare_is_dropped(header: bytes) -> None:
    given = (TRACE, (b"mcp-param-" + header, b"x"))

    assert Parameters(CONTRACT).passed(line(one="x", two="x", list=["x"]), given) == (TRACE,)


@pytest.mark.parametrize("body", [b"nope", line("other"), line(method="prompts/get"), b"{}"])
def test_without_a_call_of_an_approved_tool_nothing_is_declared(body: bytes) -> None:
    given = (TRACE, (b"mcp-param-region", b"eu"))

    assert Parameters(CONTRACT).passed(body, given) == (TRACE,)
    assert Parameters(None).passed(line(region="eu"), given) == (TRACE,)
